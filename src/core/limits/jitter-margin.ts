/** Bounds of the margin, in milliseconds: below, what timers may be off by; above, more than a usable network's jitter. */
const least = 150
const most = 1000

/** How carefully jitter is judged from a spread that may be small by chance: times so much, and so many milliseconds more. */
const caution = { factor: 3, extraMs: 100 }

/** Answers that say enough about the network, and those that are remembered. */
const enough = 24
const remembered = 64

/**
 * How long a request may be under way to the service, in milliseconds: two requests sent a window apart may arrive
 * closer together than that by as much. It is judged by the `Date` of the answers. That is cut to whole seconds, so even
 * on an even network the time from `Date` to arrival varies by a second; what it varies beyond that is the network. Until
 * there is enough to judge by, the margin is the widest.
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
