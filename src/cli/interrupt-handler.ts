import { readFileSync } from 'node:fs'
import type { Call } from '../extend.ts'
import type { Observer } from '../index.ts'
import type { LockWait } from '../lib/sqlite-file.ts'
import { CommandError } from './command-errors.ts'

/** What ends a job. SIGHUP comes when its terminal is closed. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Whether `nohup` has started this process. Node undoes that it ignores SIGHUP. */
function isUnderNohup(): boolean {
  // Shells name the command they start. In a terminal, `nohup` leaves a stdin that nothing can be read from.
  if (/(^|\/)nohup$/.test(process.env['_'] ?? '')) return true
  try {
    return /^flags:\s*\d*1$/m.test(readFileSync('/proc/self/fdinfo/0', 'utf8'))
  } catch {
    return false
  }
}

/**
 * Ends a job on Ctrl-C, or when its terminal is closed: after the page under way, which may have been charged. A second Ctrl-C ends it at
 * once. Until then, the job waits for files of other programs for as long as they take: what is paid for must not be bought again.
 */
export class InterruptHandler implements LockWait {
  readonly #controller = new AbortController()
  readonly signal = this.#controller.signal
  readonly #message: string
  #isWanted = false
  /** The call whose page is not read yet. */
  #call: Call | undefined
  /** Of an attempt that has failed and was free, nothing has to be read. */
  readonly observer: Observer = {
    onAttempt: ({ outcome, charged }) => {
      if (outcome !== 'ok' && charged === 'no' && this.#isWanted) this.#end()
    },
  }
  readonly #onSignal = (name: NodeJS.Signals): void => {
    if (name === 'SIGHUP' && isUnderNohup()) return
    if (this.#call?.cancellation.isInFlight !== true) this.#end()
    else if (this.#isWanted) this.#end('stopped; the page under way is not saved, and may have been charged')
    this.#isWanted = true
  }

  /** @param message What a job says that has ended. */
  constructor(message = 'stopped; everything you paid for is printed or saved') {
    this.#message = message
  }

  /** From now on, something has to be tidied up: until then, a signal ends the process. */
  start(): void {
    for (const name of signals) process.on(name, this.#onSignal)
  }

  /** After Ctrl-C, a page that has come is printed if it cannot be stored. */
  readonly forMs = (): number => (this.#isWanted ? 10_000 : Infinity)

  /** Follows a call. After a success, its page must still be read and written. */
  follow(call: Call): void {
    this.#call = call
  }

  /** Call it when a page is read: from then on, an interruption cannot lose it. */
  pageIsRead(): void {
    this.#call = undefined
    if (this.#isWanted) this.#end()
  }

  end(): void {
    for (const name of signals) process.off(name, this.#onSignal)
  }

  #end(message = this.#message): void {
    this.#controller.abort(new CommandError('interrupted', message))
    // What a job still does may wait for a file: from now on, a signal ends the process.
    this.end()
  }
}
