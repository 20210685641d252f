// How much of the limit of a surface is left for this process, if programs that do not share its limits use the same key. The service does not
// say what they send, but a 429 that comes before this process has used up the limit shows that they do send. Then this process sends less:
//
// - A 429 that announces a long wait says that the minute is used up. From then on the process sends in a minute what it had sent until then,
//   but gives up at most three tenths at once.
// - One that announces a short wait says that requests came too close together. From the second in a row on, the process gives up one request a
//   minute, and waits a random time longer, so that programs do not retry together.
// - Each eighth of a minute without a 429 gives some back: 1 request, then 2, then 4, up to the limit.
//
// `bench/simulate/ablations.md` shows what each of these is worth.

/** After one 429, at least this fraction of the allowance is left. */
const minRemaining = 0.7

/** Steps of recovery in one window. */
const stepsPerWindow = 8

/** Whether an announced wait is short: a burst, rather than a full window, may have caused the 429. */
export function isShort(announcedMs: number, windowMs: number): boolean {
  return announcedMs <= windowMs / 12
}

/** Maximum doublings of the random wait that separates processes. */
const maxDoublings = 4

/** The part of a limit that is left for this process. */
export class AdaptiveLimit {
  /** Requests that the surface accepts in a window. */
  readonly limit: number
  readonly #windowMs: number
  /** At `#changedAt`. */
  #allowance: number
  #changedAt = 0
  /** In a row. */
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
    this.#refusals++
    // The allowance recovers only after the surface opens.
    this.#changedAt = performance.now() + announcedMs
    if (!isShort(announcedMs, this.#windowMs)) {
      this.#allowance = Math.max(1, Math.min(allowance, Math.max(sent, allowance * minRemaining)))
      return 0
    }
    const earlier = this.#refusals - 1
    this.#allowance = Math.max(1, allowance - Math.min(1, earlier))
    return Math.random() * 1000 * (2 ** Math.min(earlier, maxDoublings) - 1)
  }

  /** Records a request that was not refused. */
  accepted(): void {
    this.#refusals = 0
  }
}
