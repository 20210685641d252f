import pLimit from 'p-limit'
import { organizationLimits } from '../contract/limits.ts'
import { Lane, type Pass, type Turnstile } from './lane.ts'
import { Margin } from './margin.ts'
import { isMomentary } from './others.ts'
import { Pace } from './pace.ts'
import { type Send, SendLog } from './send-log.ts'
import { type Kept, Shares } from './shares.ts'
import { now } from './time.ts'

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
  /** Whether the call was already under way; such calls go before those of the same priority that have not been sent yet. */
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
  /** Says that the request goes out now; until then the grant counts towards the pace as if it had. */
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

/** How long the slot of a request that was given up stays taken, in milliseconds: the service has yet to notice. */
export const abandonedMs = 50

/** What may send at one surface, and when. */
interface Entrance {
  readonly lane: Lane
  readonly pace: Pace
  /** Counts a request that holds a slot. */
  readonly take: (giveBack: () => void, send?: Send) => Pass
  /** Counts it towards its client's share as well. */
  readonly count: Kept['count']
}

/** A limiter for the clients of one process. */
export class LocalLimiter implements Limiter {
  readonly limits: Limits
  readonly #slots: ReturnType<typeof pLimit>
  readonly #lanes = new Map<string | null, Entrance>()
  readonly #margin = new Margin()
  #narrowUntil = -Infinity
  // A client may have calls in any lane.
  readonly #shares = new Shares(() => this.wake())

  constructor(limits: Partial<Limits> = {}) {
    this.limits = { ...organizationLimits, ...limits }
    this.#slots = pLimit(this.limits.inFlight)
  }

  acquire(ticket: Ticket): Promise<Lease> {
    return this.#at(ticket.surface).lane.enter(ticket)
  }

  hold(surface: string | null, milliseconds: number): void {
    const { lane, pace } = this.#at(surface)
    pace.hold(milliseconds)
    if (isMomentary(milliseconds, this.limits.windowMs)) this.#narrow()
    lane.turnAway()
  }

  /** Counts a request that somebody else has let through, as if it had been acquired here. */
  adopt(surface: string | null, share: Share, send: Send): Pass {
    const { take, count } = this.#at(surface)
    const slot = this.#takeSlot()
    return count(
      share,
      take(() => void slot.then((giveBack) => giveBack()), send),
      send,
    )
  }

  /** Looks again whether somebody may go, where timers may be late: in a page in the background, for example. */
  wake(): void {
    this.#lanes.forEach(({ lane }) => lane.wake())
  }

  #at(surface: string | null): Entrance {
    const known = this.#lanes.get(surface)
    if (known !== undefined) return known
    const { windowMs, perMinute } = this.limits
    const makeLog = (): SendLog => new SendLog(windowMs, this.#margin)
    const pace = new Pace(surface === null ? Infinity : perMinute, windowMs, this.#margin)
    const take: Entrance['take'] = (giveBack, send = { at: now(), answered: Infinity }) => {
      const finish = [pace.enter(send), giveBack]
      return {
        sent: () => pace.sent(send),
        answered: (date) => {
          send.answered = now()
          if (date !== null) this.#margin.observe(date)
        },
        release: () => finish.splice(0).forEach((end) => end()),
      }
    }
    const turnstile: Turnstile = {
      closed: () => pace.closed,
      wait: (share) => pace.wait(share.perMinute),
      reserve: async () => {
        const giveBack = await this.#takeSlot()
        return { giveBack, take: () => take(giveBack) }
      },
    }
    const kept = this.#shares.keep(turnstile, surface === null ? 0 : perMinute, makeLog)
    const made = { lane: new Lane(kept), pace, take, count: kept.count }
    this.#lanes.set(surface, made)
    return made
  }

  /** A 429 came while two requests were in flight: somebody else may have been the third, so one has to do for a while. */
  #narrow(): void {
    if (this.#slots.activeCount < this.limits.inFlight) return
    this.#slots.concurrency = Math.max(1, this.limits.inFlight - 1)
    this.#narrowUntil = now() + this.limits.windowMs / 2
  }

  /** Takes one of the organization's slots; the returned function gives it back. */
  #takeSlot(): Promise<() => void> {
    if (now() > this.#narrowUntil) this.#slots.concurrency = this.limits.inFlight
    return new Promise((granted) => {
      void this.#slots(() => new Promise<void>((release) => granted(release)))
    })
  }
}

// Limiters outlive the clients that use them: the service remembers a minute of requests whoever sent them, so a
// client that is made anew for each job must find what its predecessor sent.
const byLabel = new Map<string, Map<string, LocalLimiter>>()
const byProvider = new WeakMap<object, Map<string, LocalLimiter>>()

/**
 * The limiter of one organization in this process.
 *
 * @param owner What stands for the organization: a label, a key, or the object that provides its tokens.
 */
export function sharedLimiter(owner: string | object, baseUrl: string): LocalLimiter {
  const limiters =
    (typeof owner === 'string' ? byLabel.get(owner) : byProvider.get(owner)) ??
    new Map<string, LocalLimiter>()
  if (typeof owner === 'string') byLabel.set(owner, limiters)
  else byProvider.set(owner, limiters)
  const limiter = limiters.get(baseUrl) ?? new LocalLimiter()
  limiters.set(baseUrl, limiter)
  return limiter
}
