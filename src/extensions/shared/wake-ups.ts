// Processes wake each other up by messages, which a store passes on to all that listen. A message asks processes to update after so many
// milliseconds: `{ from, wakeUps: [[process, ms], …] }`. Wake-ups save waiting, and nothing else depends on them.
//
// A pooler or missing rights may swallow messages without an error. So a process polls until a message of its own has come back. When it begins
// to listen, each of its updates sends one, until one comes back or five seconds have passed.

import { within } from '../../lib/abort.ts'
import type { Log } from '../../lib/logger.ts'
import { runUserCallback } from '../../lib/thrown.ts'
import type { SharedStore } from './store.ts'

/** A process that is to update, and after how many milliseconds. */
export type WakeUp = readonly [process: string, ms: number]

/** Stands for each process that waits, or knows a state: there is a new one, or a surface has closed. */
export const everyone = '*'

/** How long a process waits for a message of its own, in milliseconds. */
const maxSilenceMs = 5000

/** Where messages come from, and what a process makes of them. */
interface ChannelOptions {
  readonly store: SharedStore
  readonly timeoutMs: number
  readonly log: Log
  /** Names this process. */
  readonly process: () => string
  /** Gets what another process asks for; undefined if messages may be missing. */
  readonly onWakeUps: (wakeUps: readonly WakeUp[] | undefined) => void
}

/** The messages about one text in a store, for one process. */
export class WakeUpChannel {
  readonly #options: ChannelOptions
  #isListening = false
  #isStopped = false
  #endWatch: (() => void) | undefined
  #isWorking = false
  /** Since when a message of this process is to come back; Infinity if none is. */
  #awaitedSince = Infinity

  constructor(options: ChannelOptions) {
    this.#options = options
  }

  /** Whether a message of this process has come back. */
  get isWorking(): boolean {
    return this.#isWorking
  }

  /** Listens, once. Until the store does so, which may be never, the process polls. */
  async listen(key: string): Promise<void> {
    const { store, timeoutMs, log } = this.#options
    if (store.watch === undefined || this.#isListening || this.#isStopped) return
    this.#isListening = true
    const late = (): void =>
      log('warn', 'the shared store does not answer to watch(), so this process polls', {
        milliseconds: timeoutMs,
      })
    await within(timeoutMs, () => this.#watch(key), late)
  }

  async #watch(key: string): Promise<void> {
    try {
      // A store that is not typed may subscribe first.
      this.#endWatch = await Promise.resolve(this.#options.store.watch?.(key, (text) => this.#receive(text)))
    } catch (error) {
      this.#isListening = false
      throw error
    }
    this.#awaitedSince = performance.now()
    if (this.#isStopped) this.stop()
  }

  stop(): void {
    this.#isStopped = true
    runUserCallback(() => this.#endWatch?.())
  }

  /** The message of an update; undefined if nobody has to wake up, and none has to come back. */
  compose(wakeUps: readonly WakeUp[]): string | undefined {
    const isSent = wakeUps.length > 0 || this.#awaitedSince !== Infinity
    return isSent ? JSON.stringify({ from: this.#options.process(), wakeUps }) : undefined
  }

  /** An update has ended. Gives up a message that does not come back. */
  updated(): void {
    if (performance.now() - this.#awaitedSince < maxSilenceMs) return
    this.#awaitedSince = Infinity
    this.#options.log('warn', 'no messages of the shared store arrive, so this process polls', {})
  }

  /** The store has failed: its connection for messages may come back later. */
  failed(): void {
    if (this.#awaitedSince !== Infinity) this.#awaitedSince = performance.now()
  }

  #receive(text: string | undefined): void {
    if (text === undefined) {
      // The connection is new.
      this.#isWorking = false
      this.#awaitedSince = performance.now()
      this.#options.onWakeUps(undefined)
      return
    }
    const { from, wakeUps = [] } = readMessage(text) ?? {}
    if (from === this.#options.process()) {
      this.#isWorking = true
      this.#awaitedSince = Infinity
    } else if (wakeUps.length > 0) this.#options.onWakeUps(wakeUps)
  }
}

/** Undefined for anything else: other programs may send on the same channel. */
function readMessage(text: string): { from: string; wakeUps: readonly WakeUp[] } | undefined {
  try {
    const { from, wakeUps } = JSON.parse(text) as { from: string; wakeUps: readonly WakeUp[] }
    const isWakeUp = ([process, ms]: WakeUp): boolean => typeof process === 'string' && ms >= 0
    return typeof from === 'string' && wakeUps.every(isWakeUp) ? { from, wakeUps } : undefined
  } catch {
    return undefined
  }
}
