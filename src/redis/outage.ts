import type { Log } from '../lib/logger.ts'
import { reasonOf } from './script-runner.ts'

/** Longest time between two attempts to reach Redis, in milliseconds; the shortest is half of it. */
const retryMs = 1000

/** Whether Redis is unavailable, and the attempts to reach it again. */
export class Outage {
  readonly #log: Log
  readonly #recover: () => Promise<unknown>
  readonly #onAttempt: () => void
  #reason: string | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  /**
   * @param recover Rejects while Redis is unavailable.
   * @param onAttempt Called after each attempt to recover.
   */
  constructor(log: Log, recover: () => Promise<unknown>, onAttempt: () => void) {
    this.#log = log
    this.#recover = recover
    this.#onAttempt = onAttempt
  }

  get isOn(): boolean {
    return this.#reason !== undefined
  }

  begin(error: unknown): void {
    if (this.#reason !== undefined) return
    this.#reason = reasonOf(error)
    this.#log('warn', 'redis is unavailable', { reason: this.#reason })
  }

  /** Schedules one attempt to recover. Waiting calls schedule the next one. */
  retrySoon(): void {
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
      // Waiting calls schedule the next attempt.
    }
    this.stop()
    this.#onAttempt()
  }
}
