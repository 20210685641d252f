// When the next request to a surface may be sent, as far as one process knows: its own requests of the last minute count, and a 429 closes the
// surface. After that, the process sends less for a while, since others may use the limit, too.

import { AdaptiveLimit, isShort } from './adaptive-limit.ts'
import type { RequestOutcome, Limits } from './interface.ts'

/** A request from its grant on, in monotonic milliseconds. */
export interface SentRequest {
  /** When it was sent, or granted if it is not sent yet. */
  readonly at: number
  /** When its response began to arrive; Infinity before that. */
  readonly answered: number
}

/** How much closer together two requests may arrive than they were sent, in milliseconds: more than a usable network's jitter. */
export const marginMs = 1000

/** When a request arrived at the latest: when its response began, or after the margin. */
export const arrivalOf = ({ at, answered }: SentRequest): number => Math.min(at + marginMs, answered)

/** How far the clocks of two machines may drift apart within one window, in milliseconds. */
export const driftMs = 20

/** The requests to one surface that the service may still count. */
class SendLog {
  readonly #spanMs: number
  readonly #sends = new Set<SentRequest>()

  constructor(windowMs: number) {
    this.#spanMs = windowMs + driftMs
  }

  /** Adds a request, or updates one that was sent later than granted. */
  add(send: SentRequest): void {
    this.#sends.delete(send)
    this.#sends.add(send)
    const outdated = performance.now() - this.#spanMs - marginMs
    for (const send of this.#sends) {
      if (send.at > outdated) break
      this.#sends.delete(send)
    }
  }

  delete(send: SentRequest): void {
    this.#sends.delete(send)
  }

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
    const arrivals = Array.from(this.#sends, arrivalOf)
    const blocker = arrivals.sort((a, b) => a - b).at(-free) ?? -Infinity
    return windowsMs + Math.max(0, blocker + this.#spanMs - performance.now())
  }
}

/** After a 429 with a long wait, refused requests count for so many windows: the service may count them too. */
const countRefusedWindows = 30

/** The pace of one search surface, from the requests of this process and their 429s. */
export class SurfacePace {
  readonly #limits: Limits
  readonly #log: SendLog
  readonly #adaptive: AdaptiveLimit
  /** Whether this process may send fewer requests than the organization. */
  readonly #hasLowerLimit: boolean
  #latest: SentRequest | undefined
  /**
   * When the latest 429 came, when the surface opens, and a random time after that, so that refused processes do not
   * all return together.
   */
  #closure = { closedAt: Infinity, openAt: 0, waitUntil: 0 }
  /** Until then, refused requests count, also towards a lower limit. */
  #countRefusedUntil = -Infinity

  /** @param perMinute Requests a window that this process may send; Infinity for no pacing. */
  constructor(limits: Limits, perMinute: number) {
    this.#limits = limits
    this.#log = new SendLog(limits.windowMs)
    this.#adaptive = new AdaptiveLimit(perMinute, limits.windowMs)
    this.#hasLowerLimit = perMinute < limits.perMinute
  }

  /** Milliseconds until the surface opens after a 429. */
  closed(): number {
    return Math.max(0, this.#closure.openAt - performance.now())
  }

  /** Whether a new pace would behave the same: no request and no 429 counts any more. */
  get isIdle(): boolean {
    const { waitUntil } = this.#closure
    return this.#log.wait(1) === 0 && performance.now() >= Math.max(waitUntil, this.#countRefusedUntil)
  }

  /** Milliseconds until a request may be sent. */
  wait(): number {
    const closed = this.#closure.waitUntil - performance.now()
    const { allowance, gapMs, limit } = this.#adaptive
    if (limit === Infinity) return closed
    const gap = (this.#latest?.at ?? -Infinity) + gapMs - performance.now()
    return Math.max(closed, gap, this.#log.wait(allowance))
  }

  /** Milliseconds until a request may be sent behind `ahead` further ones, if no other process sends any. */
  waitBehind(ahead: number): number {
    return this.#log.wait(this.#adaptive.limit, ahead)
  }

  /** Closes the surface for so many milliseconds from now, after a 429. */
  closeFor(milliseconds: number): void {
    // The log includes the refused request.
    const randomMs = this.#adaptive.refused(this.#log.count - 1, milliseconds)
    const now = performance.now()
    const { windowMs } = this.#limits
    const openAt = Math.max(this.#closure.openAt, now + milliseconds)
    this.#closure = { closedAt: now, openAt, waitUntil: Math.max(openAt, now + milliseconds + randomMs) }
    if (!isShort(milliseconds, windowMs)) this.#countRefusedUntil = now + countRefusedWindows * windowMs
  }

  /** Counts a request that has been granted, and again from when it is really sent. */
  add(send: SentRequest): void {
    // Without pacing, thousands may be sent in a window.
    if (this.#adaptive.limit !== Infinity) this.#log.add(send)
    this.#latest = send
  }

  /** Ends a request. One that was never sent does not count. */
  end(send: SentRequest, { refusedForMs, unsent = false }: RequestOutcome): void {
    if (refusedForMs !== undefined) this.closeFor(refusedForMs)
    if (!unsent && send.at > this.#closure.closedAt) this.#adaptive.accepted()
    // A request that was refused with a short wait does not count towards a lower limit. Otherwise a process
    // would lose much of its minute to each 429, and processes would keep colliding.
    const isRefused = refusedForMs !== undefined && performance.now() > this.#countRefusedUntil
    if (unsent || (isRefused && this.#hasLowerLimit)) this.#log.delete(send)
  }
}
