/** Bounds of the margin, in milliseconds: below, what timers may be off by; above, more than a usable network's jitter. */
const least = 150
const most = 1000

/** Safety factor and addition for the measured jitter, which may be small by chance. */
const caution = { factor: 3, extraMs: 100 }

/** Answers that say enough about the network, and those that are remembered. */
const enough = 24
const remembered = 64

/**
 * Estimates network jitter, in milliseconds: two requests sent a window apart may arrive this much closer
 * together. It measures the time from a response's `Date` to its arrival. `Date` has whole seconds, so on a
 * steady network this time varies by a second; any further variation is jitter. With too few responses, the
 * margin is the maximum.
 */
export class JitterMargin {
  readonly #delays: number[] = []
  #widened = 1
  /** In milliseconds. */
  ms: number = most

  /** Takes note of an answer that has just come. */
  observe(date: Date): void {
    if (Number.isNaN(date.getTime())) return
    this.#delays.push(performance.now() - date.getTime())
    if (this.#delays.length > remembered) this.#delays.shift()
    this.ms = this.#judge()
  }

  /** A request was refused although it came late enough by this margin. */
  widen(): void {
    this.#widened = Math.min(this.#widened * 2, most / least)
    this.ms = this.#judge()
  }
  #judge(): number {
    const count = this.#delays.length
    if (count < enough) return most
    const spread = Math.max(...this.#delays) - Math.min(...this.#delays)
    // What whole seconds alone make of the spread of so many answers, on average.
    const expected = (1000 * (count - 1)) / (count + 1)
    const jitter = Math.max(least, caution.factor * (spread - expected) + caution.extraMs)
    return Math.min(most, jitter * this.#widened)
  }
}
