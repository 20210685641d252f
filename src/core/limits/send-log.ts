import type { JitterMargin } from './jitter-margin.ts'

/** A request, in monotonic milliseconds. */
export interface Send {
  at: number
  /** When its answer began to come; Infinity before that. */
  answered: number
}

/** What the clocks of two machines may differ by in the course of one window, in milliseconds. */
export const driftMs = 20

/**
 * How many times the limit are remembered. A client that is not paced may send thousands in a window; the next send waits
 * for one of the latest.
 */
const depth = 16

/** The sends to one surface that the service may still count. */
export class SendLog {
  readonly #spanMs: number
  readonly #margin: JitterMargin
  readonly #sends = new Set<Send>()
  readonly #most: number

  /** @param limit Requests that the surface accepts within the window. */
  constructor(limit: number, windowMs: number, margin: JitterMargin) {
    this.#spanMs = windowMs + driftMs
    this.#margin = margin
    this.#most = limit * depth
  }

  /** Counts a send, or counts one anew that went later than it might have. */
  add(send: Send): void {
    this.#sends.delete(send)
    this.#sends.add(send)
    const outdated = performance.now() - this.#spanMs - this.#margin.ms
    for (const send of this.#sends) {
      if (send.at > outdated && this.#sends.size <= this.#most) break
      this.#sends.delete(send)
    }
  }

  /** Takes out a send that does not count. */
  delete(send: Send): void {
    this.#sends.delete(send)
  }

  /** How many were sent within the window. */
  get count(): number {
    const start = performance.now() - this.#spanMs
    return Array.from(this.#sends).filter(({ at }) => at > start).length
  }

  /** Milliseconds until a further send is within the limit, however long any of them was under way. */
  wait(limit: number): number {
    if (this.#sends.size < limit) return 0
    const margin = this.#margin.ms
    // At the latest, a request arrived when its answer began, or when it had been under way for the margin.
    const arrivals = Array.from(this.#sends, ({ at, answered }) => Math.min(at + margin, answered))
    const blocker = arrivals.sort((a, b) => a - b).at(-limit) ?? -Infinity
    return Math.max(0, blocker + this.#spanMs - performance.now())
  }
}
