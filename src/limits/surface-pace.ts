// When the next request to a surface may be sent, as far as one process knows: its own requests of the last minute count, and a 429 closes the
// surface. A 429 that its own requests do not explain tells that others use the limit, too: then the process sends less for a while.

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

/** After one 429, at least this fraction of the allowance is left. */
const minRemaining = 0.7

/** Steps of recovery in one window. */
const stepsPerWindow = 8

/** Whether an announced wait is short: a burst, rather than a full window, may have caused the 429. */
function isShort(announcedMs: number, windowMs: number): boolean {
  return announcedMs <= windowMs / 12
}

/** Maximum doublings of the random wait that separates processes. */
const maxDoublings = 4

/**
 * Estimates, from 429s, how much capacity other processes use. After a 429 the allowance of this process falls towards
 * the number of requests it had sent. It then rises, in doubling steps, until the next 429.
 */
export class AdaptiveLimit {
  /** Requests that the surface accepts in a window. */
  readonly limit: number
  readonly #windowMs: number
  /** At `#changedAt`. */
  #allowance: number
  #changedAt = 0
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
    const short = isShort(announcedMs, this.#windowMs)
    this.#refusals++
    // The allowance recovers only after the surface opens.
    this.#changedAt = performance.now() + announcedMs
    if (!short) this.#allowance = Math.max(1, Math.min(allowance, Math.max(sent, allowance * minRemaining)))
    else this.#allowance = Math.max(1, allowance - (this.#refusals > 1 ? 1 : 0))
    return short ? Math.random() * 1000 * (2 ** Math.min(this.#refusals - 1, maxDoublings) - 1) : 0
  }

  /** Records a request that was not refused. */
  accepted(): void {
    this.#refusals = 0
  }
}
