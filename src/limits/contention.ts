/** After one 429, at least this part of the allowance is left. */
const minRemaining = 0.7

/** Steps of recovery in one window. */
const stepsPerWindow = 8

/** Whether an announced wait is short: a momentary burst, rather than a full window, may have caused the 429. */
export function isMomentary(announcedMs: number, windowMs: number): boolean {
  return announcedMs <= windowMs / 12
}

/** Maximum doublings of the random wait that separates processes. */
const maxDoublings = 4

/**
 * Estimates, from 429s, how much capacity other processes use. After a 429 the allowance of this process falls towards
 * the number of requests it had sent. It then rises, in doubling steps, until the next 429.
 */
export class Contention {
  /** Requests that the surface accepts in a window. */
  readonly limit: number
  readonly #windowMs: number
  /** At `#changedAt`. */
  #allowance: number
  #changedAt = 0
  #refusals = 0

  constructor(limit: number, windowMs: number) {
    this.limit = limit
    this.#windowMs = windowMs
    this.#allowance = limit
  }

  /** Requests that this process may send in a window. */
  get allowance(): number {
    const windows = Math.max(0, performance.now() - this.#changedAt) / this.#windowMs
    return Math.min(this.limit, this.#allowance + 2 ** Math.floor(windows * stepsPerWindow) - 1)
  }

  /** Milliseconds between two requests, so that bursts of several processes do not coincide. */
  get gapMs(): number {
    const { allowance } = this
    return allowance >= this.limit ? 0 : this.#windowMs / allowance / 2
  }

  /**
   * Records a 429 that came although this process had sent less than the limit.
   *
   * @returns Random milliseconds to add to the announced wait, so that processes do not retry at the same time.
   */
  refused(sent: number, announcedMs: number): number {
    const { allowance } = this
    const momentary = isMomentary(announcedMs, this.#windowMs)
    this.#refusals++
    // The allowance recovers only after the surface opens.
    this.#changedAt = performance.now() + announcedMs
    if (!momentary)
      this.#allowance = Math.max(1, Math.min(allowance, Math.max(sent, allowance * minRemaining)))
    else this.#allowance = Math.max(1, allowance - (this.#refusals > 1 ? 1 : 0))
    return momentary ? Math.random() * 1000 * (2 ** Math.min(this.#refusals - 1, maxDoublings) - 1) : 0
  }

  /** Records a request that was not refused. */
  accepted(): void {
    this.#refusals = 0
  }
}
