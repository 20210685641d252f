import { readFileSync } from 'node:fs'
import type { Call, CallResult, Send } from '../extend.ts'
import type { Observer } from '../index.ts'
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

/** Ends a job on Ctrl-C, or when its terminal is closed: after the page under way, which may have been charged. A second Ctrl-C ends it at once. */
export class InterruptHandler {
  readonly #controller = new AbortController()
  readonly #message: string
  #isWanted = false
  /** The call whose page is not read yet. */
  #call: Call | undefined
  #aheadMs = 0
  /** When the last answer came: until it is checked and stored, another process may store a later one. */
  answeredAt: Date | undefined
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

  /** Whether the user wants the job to end after the page under way. */
  get isWanted(): boolean {
    return this.#isWanted
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Follows a call. After a success, its page must still be read and written. */
  async send(send: Send, call: Call): Promise<CallResult> {
    this.#call = call
    const result = await send(call)
    const { sent = null, duration = 0 } = result.attempts.at(-1) ?? {}
    if (sent !== null) this.answeredAt = new Date(Date.parse(sent) + duration)
    const time = Date.parse(result.response.headers.get('date') ?? '')
    if (Number.isFinite(time)) this.#aheadMs = Date.now() - time
    return result
  }

  /** The time by the clock of the service or that of this machine, whichever is behind, in milliseconds since 1970: either may be wrong. */
  get now(): number {
    return Date.now() - Math.max(0, this.#aheadMs)
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
