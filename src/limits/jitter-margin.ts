/** Bounds of the margin in milliseconds: the inaccuracy of timers, and more than a usable network's jitter. */
const minMs = 150
const maxMs = 1000

/** Safety factor and addition: the measured jitter may be small by chance. */
const safety = { factor: 3, extraMs: 100 }

/** Responses needed for an estimate, and responses kept. */
const minSamples = 24
const maxSamples = 64

/**
 * Estimates network jitter, in milliseconds: two requests sent a window apart may arrive this much closer together. It
 * measures the time from a response's `Date` to its arrival. `Date` has whole seconds, so on a steady network this time
 * varies by a second; any further variation is jitter. With too few responses, the margin is the maximum.
 */
export class JitterMargin {
  readonly #delays: number[] = []
  #widened = 1
  ms: number = maxMs

  /** Records the `Date` of a response that has just arrived. */
  observe(date: Date): void {
    if (Number.isNaN(date.getTime())) return
    this.#delays.push(performance.now() - date.getTime())
    if (this.#delays.length > maxSamples) this.#delays.shift()
    this.ms = this.#estimate()
  }

  /** Doubles the margin, after a 429 for a request that kept to it. */
  widen(): void {
    this.#widened = Math.min(this.#widened * 2, maxMs / minMs)
    this.ms = this.#estimate()
  }

  #estimate(): number {
    const count = this.#delays.length
    if (count < minSamples) return maxMs
    const spread = Math.max(...this.#delays) - Math.min(...this.#delays)
    // The average spread that whole seconds alone cause among so many responses.
    const expected = (1000 * (count - 1)) / (count + 1)
    const jitter = Math.max(minMs, safety.factor * (spread - expected) + safety.extraMs)
    return Math.min(maxMs, jitter * this.#widened)
  }
}
