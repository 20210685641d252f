/** Part of what this process lets itself send that is left after a refusal, at least. */
const decrease = 0.7
/** How many steps of recovery there are in one window. */
const stepsPerWindow = 8
/** Whether an announced wait is so short that a moment's crowd may be behind it, rather than a full window. */
export function isMomentary(announcedMs: number, windowMs: number): boolean {
  return announcedMs <= windowMs / 12
}

/** Most doublings of the wait that keeps processes apart. */
const mostDoublings = 4

/**
 * What others of the organization leave of a surface, as far as 429s tell: nobody else does. What this process lets
 * itself send falls towards what it had sent when it was refused, and rises again, ever faster, while nothing is refused.
 */
export class Contention {
  readonly #limit: number
  readonly #windowMs: number
  #allowance: number
  #changedAt = 0
  #step = 1
  #refusals = 0

  constructor(limit: number, windowMs: number) {
    this.#limit = limit
    this.#windowMs = windowMs
    this.#allowance = limit
  }

  /** Sends that this process lets itself have within the window. */
  get allowance(): number {
    const stepMs = this.#windowMs / stepsPerWindow
    while (this.#allowance < this.#limit && performance.now() - this.#changedAt >= stepMs) {
      this.#allowance = Math.min(this.#limit, this.#allowance + this.#step)
      this.#step *= 2
      this.#changedAt += stepMs
    }
    return this.#allowance
  }

  /** Milliseconds to leave between two sends, since bursts of several processes would meet. */
  get gapMs(): number {
    const { allowance } = this
    return allowance >= this.#limit ? 0 : this.#windowMs / allowance / 2
  }

  /**
   * Takes note of a refusal although this process had sent less than the limit.
   *
   * @returns Milliseconds to wait on top of what was announced, by chance: whoever was refused at the same time must not
   * come back at the same time.
   */
  refused(sent: number, announcedMs: number): number {
    const { allowance } = this
    const momentary = isMomentary(announcedMs, this.#windowMs)
    this.#refusals++
    this.#step = 1
    // While the surface is closed, nothing is learnt.
    this.#changedAt = performance.now() + announcedMs
    if (!momentary) this.#allowance = Math.max(1, Math.min(allowance, Math.max(sent, allowance * decrease)))
    else if (this.#refusals > 1) this.#allowance = Math.max(1, allowance - 1)
    return momentary ? Math.random() * 1000 * (2 ** Math.min(this.#refusals - 1, mostDoublings) - 1) : 0
  }

  /** Takes note of a request that was not refused. */
  accepted(): void {
    this.#refusals = 0
  }
}
