import type { JitterMargin } from './jitter-margin.ts'
import { Contention, isMomentary } from './contention.ts'

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

/** Windows for which refused requests count after a 429 has announced a full one: the service may count them as well. */
const carefulWindows = 30

/** The pace of one search surface, as far as this process knows: what it has sent, and what 429s said. */
export class Pace {
  readonly #log: SendLog
  #limit: number
  readonly #windowMs: number
  #contention: Contention
  readonly #margin: JitterMargin
  #latest: Send | undefined
  #openAt = 0
  /** A while after that, by chance, so that processes that were refused together do not come back together. */
  #apartUntil = 0
  #heldAt = -Infinity
  /** Until when refused requests count towards their client's share. */
  #carefulUntil = -Infinity
  /** When the latest request was refused that does not. */
  #sparedAt = -Infinity
  /** After a hold, one request goes first, to see whether the limit has really passed: it is due, or out. */
  #probe: 'none' | 'due' | Send = 'none'

  /** @param limit Requests that the surface accepts within the window. */
  constructor(limit: number, windowMs: number, margin: JitterMargin) {
    this.#log = new SendLog(limit, windowMs, margin)
    this.#limit = limit
    this.#windowMs = windowMs
    this.#contention = new Contention(limit, windowMs)
    this.#margin = margin
  }

  /** Milliseconds until a 429 no longer closes the surface. */
  get closed(): number {
    return Math.max(0, this.#openAt - performance.now())
  }

  /** Whether it limits a request no more than a new pace would: no send counts, and no 429 matters. */
  get isIdle(): boolean {
    return this.#log.wait(1) === 0 && performance.now() >= Math.max(this.#apartUntil, this.#carefulUntil)
  }

  /** Milliseconds until a request may go whose client wants so many a minute; Infinity until a probe is back. */
  wait(perMinute: number): number {
    if (typeof this.#probe === 'object') return Infinity
    const closed = this.#apartUntil - performance.now()
    if (perMinute === Infinity) return closed
    // A client that sets a higher limit is assumed to know the real one, so it applies to all clients.
    // Otherwise clients that set a lower one would starve beside it.
    if (perMinute > this.#limit) this.#raise(perMinute)
    const { allowance, gapMs } = this.#contention
    // A probe has waited for the hold, which keeps it apart from others.
    const gap = this.#probe === 'due' ? 0 : (this.#latest?.at ?? -Infinity) + gapMs - performance.now()
    return Math.max(closed, gap, this.#log.wait(allowance))
  }

  #raise(limit: number): void {
    this.#limit = limit
    this.#contention = new Contention(limit, this.#windowMs)
  }

  /** Closes the surface for so many milliseconds from now: a request was refused. */
  hold(milliseconds: number): void {
    // The refused one is in the log as well.
    const sent = this.#log.count - 1
    if (sent >= this.#limit) this.#margin.widen()
    const apart = sent >= this.#limit ? 0 : this.#contention.refused(sent, milliseconds)
    const now = performance.now()
    this.#heldAt = now
    this.#openAt = Math.max(this.#openAt, now + milliseconds)
    this.#apartUntil = Math.max(this.#openAt, now + milliseconds + apart)
    if (!isMomentary(milliseconds, this.#windowMs)) this.#carefulUntil = now + carefulWindows * this.#windowMs
    else if (now > this.#carefulUntil) this.#sparedAt = now
    this.#probe = 'due'
  }

  /** Counts a request that may go out from now on. */
  enter(send: Send): void {
    // What is not paced needs no log.
    if (this.#limit !== Infinity) this.#log.add(send)
    this.#latest = send
    if (this.#probe === 'due') this.#probe = send
  }

  /** Counts a request from when it really goes. */
  sent(send: Send): void {
    if (this.#limit !== Infinity) this.#log.add(send)
  }

  /**
   * A request has ended.
   *
   * @returns Whether it was refused for the moment, and does not count towards its client's share. A small share would lose
   * much of its minute to each 429, and processes would never settle into sending at different times.
   */
  leave(send: Send): boolean {
    if (this.#heldAt !== -Infinity && send.at > this.#heldAt) this.#contention.accepted()
    // Another 429 may have made a new probe due, or sent one out.
    if (this.#probe === send) this.#probe = 'none'
    return send.answered <= this.#sparedAt
  }
}
