import type { Margin } from './jitter-margin.ts'
import { now } from '../lib/time.ts'

/** A request, in monotonic milliseconds. */
export interface Send {
  at: number
  /** When its answer began to come; Infinity before that. */
  answered: number
}

/** What the clocks of two machines may differ by in the course of one window, in milliseconds. */
export const driftMs = 20

/** The sends to one surface that the service may still count. */
export class SendLog {
  readonly #spanMs: number
  readonly #margin: Margin
  readonly #sends = new Set<Send>()

  constructor(windowMs: number, margin: Margin) {
    this.#spanMs = windowMs + driftMs
    this.#margin = margin
  }

  /** Counts a send, or counts one anew that went later than it might have. */
  add(send: Send): void {
    this.#sends.delete(send)
    this.#sends.add(send)
    const outdated = now() - this.#spanMs - this.#margin.ms
    for (const send of this.#sends) {
      if (send.at > outdated) break
      this.#sends.delete(send)
    }
  }

  /** How many were sent within the window. */
  get count(): number {
    const start = now() - this.#spanMs
    return Array.from(this.#sends).filter(({ at }) => at > start).length
  }

  /** Milliseconds until a further send is within the limit, however long any of them was under way. */
  wait(limit: number): number {
    if (this.#sends.size < limit) return 0
    const margin = this.#margin.ms
    // At the latest, a request arrived when its answer began, or when it had been under way for the margin.
    const arrivals = Array.from(this.#sends, ({ at, answered }) => Math.min(at + margin, answered))
    const blocker = arrivals.sort((a, b) => a - b).at(-limit) ?? -Infinity
    return Math.max(0, blocker + this.#spanMs - now())
  }
}
