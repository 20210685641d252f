import type { Log } from '../lib/logger.ts'
import { reasonOf } from './script-runner.ts'

/** Longest time between two attempts to reach Redis, in milliseconds; the shortest is half of it. */
const retryMs = 1000

/** Whether Redis is unavailable, and the resyncs that tell it what it missed. */
export class Outage {
  readonly #log: Log
  readonly #report: () => Promise<void>
  readonly #onAttempt: () => void
  #isOn = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #resyncing: Promise<void> | undefined

  /**
   * @param report Reports this process's requests to Redis; rejects while it is unavailable.
   * @param onAttempt Called when an outage begins, and after each attempt to end it.
   */
  constructor(log: Log, report: () => Promise<void>, onAttempt: () => void) {
    this.#log = log
    this.#report = report
    this.#onAttempt = onAttempt
  }

  get isOn(): boolean {
    return this.#isOn
  }

  /**
   * Whether to send Redis nothing, because the next resync reports everything. Changes during a resync are too late for
   * it, so they are sent.
   */
  get isSilent(): boolean {
    return this.isOn && this.#resyncing === undefined
  }

  /** Reports this process's requests to Redis; rejects if it is unavailable. */
  resync(): Promise<void> {
    this.#resyncing ??= this.#report().finally(() => (this.#resyncing = undefined))
    return this.#resyncing
  }

  begin(error: unknown): void {
    if (this.#isOn) return
    this.#isOn = true
    this.#log('warn', 'redis is unavailable', { reason: reasonOf(error) })
    this.#onAttempt()
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
      await this.resync()
      this.#isOn = false
      this.#log('info', 'redis is available again', {})
    } catch {
      // Waiting calls schedule the next attempt.
    }
    this.stop()
    this.#onAttempt()
  }
}
