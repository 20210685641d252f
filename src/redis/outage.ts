import type { Log } from '../core/lib/logger.ts'
import { reasonOf } from './link.ts'

/** Most time between two attempts to reach Redis again, in milliseconds; the least is half of it. */
const retryMs = 1000

/** Whether Redis can be reached, and what is done to find out when it can again. */
export class Outage {
  readonly #log: Log
  readonly #recover: () => Promise<unknown>
  readonly #onAttempt: () => void
  #reason: string | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  /**
   * @param recover Rejects while there is nobody to talk to.
   * @param onAttempt Called after each attempt to recover.
   */
  constructor(log: Log, recover: () => Promise<unknown>, onAttempt: () => void) {
    this.#log = log
    this.#recover = recover
    this.#onAttempt = onAttempt
  }

  get on(): boolean {
    return this.#reason !== undefined
  }

  begin(error: unknown): void {
    if (this.#reason !== undefined) return
    this.#reason = reasonOf(error)
    this.#log('warn', 'redis is unavailable', { reason: this.#reason })
  }

  /** Attempts to recover before long; called again by whoever waits for it. */
  watch(): void {
    this.#timer ??= setTimeout(() => void this.#attempt(), (retryMs * (1 + Math.random())) / 2)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  async #attempt(): Promise<void> {
    try {
      await this.#recover()
      this.#reason = undefined
      this.#log('info', 'redis is available again', {})
    } catch {
      // Whoever still waits calls again.
    }
    this.stop()
    this.#onAttempt()
  }
}
