import { organizationLimits } from '../../contract/limits.ts'
import { assertOptions, milliseconds, wholeNumber } from '../lib/assert.ts'

/** What one client takes of the organization's limits, at most. */
export interface Share {
  /** Requests in flight. */
  readonly inFlight: number
  /** Requests a minute at each surface; Infinity for no pacing. */
  readonly perMinute: number
}

/** What a call asks of a limiter before each attempt. */
export interface Ticket {
  /** The search surface whose pace counts, or null where only the slots do. */
  readonly surface: string | null
  /** The same object for all calls of one client. */
  readonly share: Share
  /** The higher goes first. */
  readonly priority: number
  /** Whether this is a retry; retries go before first attempts of the same priority. */
  readonly resumed: boolean
  /** Longest closure of the surface that the call waits out, in milliseconds; past it, it is refused at once. */
  readonly patience: number
  /** Aborting it takes the call out of the queue at once. */
  readonly signal: AbortSignal
}

/** Permission to send one request now. */
export interface Lease {
  /** Time spent waiting for a slot, in milliseconds. */
  readonly queued: number
  /** Time spent waiting for the surface to open, in milliseconds. */
  readonly paced: number
  /** Call it right before you send the request. Until then, the time of the grant counts as the send time. */
  sent(): void
  /** Says that the answer begins to come, and what its `Date` says. */
  answered(date: Date | null): void
  /** Gives the slot back; call it when the answer's body has been read, or has failed. */
  release(): void
}

/** Keeps the organization's limits for everybody who shares it. */
export interface Limiter {
  /** What the organization has, for clients that are not told to take less. Default the documented limits. */
  readonly limits?: Limits | undefined
  /** Waits for a slot and for the surface. Rejects with the signal's reason, or with a `SurfaceClosed`. */
  acquire(ticket: Ticket): Promise<Lease>
  /** Closes a surface for so many milliseconds from now: the service answered 429. */
  hold(surface: string | null, milliseconds: number): void
}

/** Limits of an organization, where they are not the documented ones. */
export interface Limits {
  /** Requests that may be in flight. */
  readonly inFlight: number
  /** Requests that each surface accepts in the window. */
  readonly perMinute: number
  /** Length of the window, in milliseconds. */
  readonly windowMs: number
}

/**
 * Checks the limits of an organization and fills in the documented ones.
 *
 * @throws {ConfigurationError} for limits that cannot work.
 */
export function resolveLimits(limits: Partial<Limits> = {}): Limits {
  assertOptions(limits, organizationLimits, 'limits')
  const { inFlight, perMinute, windowMs } = { ...organizationLimits, ...limits }
  return {
    inFlight: wholeNumber('limits.inFlight', inFlight),
    perMinute: wholeNumber('limits.perMinute', perMinute),
    windowMs: milliseconds('limits.windowMs', windowMs),
  }
}

/** How long the slot of a request that was given up stays taken, in milliseconds: the service has yet to notice. */
export const abandonedMs = 50

/** A call that waits in a queue: it is granted a lease or refused, once, unless it leaves before. */
export interface Waiter extends Omit<Ticket, 'signal'> {
  /** Its place, which the queue keeps here; undefined outside of a queue. */
  entry: object | undefined
  grant(lease: Lease): void
  refuse(reason: unknown): void
}

/** What keeps the next call of a surface waiting. */
export interface QueueWait {
  /** `slot`: all requests that may be in flight are. `pace`: the minute is used up. `rate_limited`: a 429 closed the surface. */
  readonly reason: 'slot' | 'pace' | 'rate_limited'
  /** Milliseconds until it ends; Infinity where that is not known. */
  readonly ms: number
}

/** Where the calls of a client wait. A waiting call costs a place in a list: no promise, timer or signal. */
export interface CallQueue {
  enter(waiter: Waiter): void
  /** Takes a call out of the queue; nothing happens if it is not in it. */
  leave(waiter: Waiter): void
  /** Closes a surface for so many milliseconds from now: the service answered 429. */
  hold(surface: string | null, milliseconds: number): void
  /** What keeps the calls of a client waiting at a surface; null if one could go now. Absent if that is not known. */
  waitOf?(surface: string | null, share: Share): QueueWait | null
}
