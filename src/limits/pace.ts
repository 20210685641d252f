import { Contention, isMomentary } from './contention.ts'
import type { JitterMargin } from './jitter-margin.ts'
import { type Limits, type Share, longestHoldMs } from './interface.ts'

/** A sent request, in monotonic milliseconds. */
export interface Send {
  at: number
  /** When its response began to arrive; Infinity before that. */
  answered: number
}

/** How far the clocks of two machines may drift apart within one window, in milliseconds. */
export const driftMs = 20

/** Size of a log, in multiples of the limit: an unpaced client may send thousands in a window. */
export const logFactor = 16

/** The requests to one surface that the service may still count. */
export class SendLog {
  readonly #spanMs: number
  readonly #margin: JitterMargin
  readonly #sends = new Set<Send>()
  readonly #maxSends: number

  /** @param limit Requests that the surface accepts within the window. */
  constructor(limit: number, windowMs: number, margin: JitterMargin) {
    this.#spanMs = windowMs + driftMs
    this.#margin = margin
    this.#maxSends = limit * logFactor
  }

  /** Adds a request, or updates one that was sent later than granted. */
  add(send: Send): void {
    // Without pacing, no log is needed.
    if (this.#maxSends === Infinity) return
    this.#sends.delete(send)
    this.#sends.add(send)
    const outdated = performance.now() - this.#spanMs - this.#margin.ms
    for (const send of this.#sends) {
      if (send.at > outdated && this.#sends.size <= this.#maxSends) break
      this.#sends.delete(send)
    }
  }

  delete(send: Send): void {
    this.#sends.delete(send)
  }

  /** Requests sent within the window. */
  get count(): number {
    const start = performance.now() - this.#spanMs
    return Array.from(this.#sends).filter(({ at }) => at > start).length
  }

  /**
   * Milliseconds until another request is within the limit, even if the earlier ones took long to arrive.
   *
   * @param ahead Requests to be sent before it.
   */
  wait(limit: number, ahead = 0): number {
    const windowsMs = Math.floor(ahead / limit) * this.#spanMs
    const free = limit - (ahead % limit)
    if (this.#sends.size < free) return windowsMs
    const margin = this.#margin.ms
    // A request arrived at the latest when its response began, or after the margin.
    const arrivals = Array.from(this.#sends, ({ at, answered }) => Math.min(at + margin, answered))
    const blocker = arrivals.sort((a, b) => a - b).at(-free) ?? -Infinity
    return windowsMs + Math.max(0, blocker + this.#spanMs - performance.now())
  }
}

/** After a 429 with a long wait, refused requests count for so many windows: the service may count them too. */
const countRefusedWindows = 30

/** The pace of one search surface, from the requests of this process and their 429s. */
export class Pace {
  /** The organization's limits. */
  readonly limits: Limits
  readonly margin: JitterMargin
  readonly #log: SendLog
  /** Requests of each client with a lower rate than the organization's. */
  readonly #clientLogs = new WeakMap<Share, SendLog>()
  #contention: Contention
  #latest: Send | undefined
  /**
   * When the latest 429 came, when the surface opens, and a random time after that, so that refused processes do not
   * all return together.
   */
  #closure = { heldAt: Infinity, openAt: 0, waitUntil: 0 }
  /** Until then, refused requests count towards their client's share. */
  #countRefusedUntil = -Infinity
  /** When the latest request was refused without counting. */
  #uncountedAt = -Infinity

  /** @param perMinute Requests a window that this process may send; Infinity for no pacing. */
  constructor(limits: Limits, margin: JitterMargin, perMinute: number) {
    this.limits = limits
    this.margin = margin
    this.#log = new SendLog(perMinute, limits.windowMs, margin)
    this.#contention = new Contention(perMinute, limits.windowMs)
  }

  /** Milliseconds until the surface opens after a 429. */
  get closed(): number {
    return Math.max(0, this.#closure.openAt - performance.now())
  }

  /** Whether a new pace would behave the same: no request and no 429 counts any more. */
  get isIdle(): boolean {
    return (
      this.#log.wait(1) === 0 &&
      performance.now() >= Math.max(this.#closure.waitUntil, this.#countRefusedUntil)
    )
  }

  /** The requests of a client; undefined if its rate is not lower than the organization's. */
  logOf(share: Share): SendLog | undefined {
    const { perMinute, windowMs } = this.limits
    if (this.#contention.limit === Infinity || share.perMinute >= perMinute) return undefined
    const log = this.#clientLogs.get(share) ?? new SendLog(share.perMinute, windowMs, this.margin)
    this.#clientLogs.set(share, log)
    return log
  }

  /** Milliseconds until a client with this limit may send. */
  wait(perMinute: number): number {
    const closed = this.#closure.waitUntil - performance.now()
    if (perMinute === Infinity) return closed
    // A client that sets a higher limit is assumed to know the real one, so it applies to all clients. Otherwise
    // clients that set a lower one would starve beside it.
    if (perMinute > this.#contention.limit) this.#contention = new Contention(perMinute, this.limits.windowMs)
    const { allowance, gapMs } = this.#contention
    const gap = (this.#latest?.at ?? -Infinity) + gapMs - performance.now()
    return Math.max(closed, gap, this.#log.wait(allowance))
  }

  /** Milliseconds until a client may send behind `ahead` further requests, if no other process sends any. */
  waitBehind(share: Share, ahead: number): number {
    const { perMinute } = share
    const limit = Math.max(perMinute, this.#contention.limit, this.limits.perMinute)
    return Math.max(this.#log.wait(limit, ahead), this.logOf(share)?.wait(perMinute, ahead) ?? 0)
  }

  /** Closes the surface for `announcedMs` from now, at most a day, after a 429. */
  hold(announcedMs: number): void {
    const milliseconds = Math.min(announcedMs, longestHoldMs)
    const { limit } = this.#contention
    // The log includes the refused request.
    const sent = this.#log.count - 1
    if (sent >= limit) this.margin.widen()
    const randomMs = sent >= limit ? 0 : this.#contention.refused(sent, milliseconds)
    const now = performance.now()
    const { windowMs } = this.limits
    const openAt = Math.max(this.#closure.openAt, now + milliseconds)
    this.#closure = { heldAt: now, openAt, waitUntil: Math.max(openAt, now + milliseconds + randomMs) }
    if (!isMomentary(milliseconds, windowMs)) this.#countRefusedUntil = now + countRefusedWindows * windowMs
    else if (now > this.#countRefusedUntil) this.#uncountedAt = now
  }

  /** Counts a request that has been granted. */
  enter(send: Send, clientLog: SendLog | undefined): void {
    this.sent(send, clientLog)
    this.#latest = send
  }

  /** Counts a request from when it is really sent. */
  sent(send: Send, clientLog: SendLog | undefined): void {
    this.#log.add(send)
    clientLog?.add(send)
  }

  /** Ends a request. */
  leave(send: Send, clientLog: SendLog | undefined): void {
    if (send.at > this.#closure.heldAt) this.#contention.accepted()
    // A request that was refused with a short wait does not count towards its client's share. Otherwise a small share
    // would lose much of its minute to each 429, and processes would keep colliding.
    if (send.answered <= this.#uncountedAt) clientLog?.delete(send)
  }
}
