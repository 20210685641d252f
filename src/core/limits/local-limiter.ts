import type { Lease, Limiter, Limits, Share, Ticket } from './limiter.ts'
import pLimit from 'p-limit'
import { organizationLimits } from '../../contract/limits.ts'
import { Lane, type Pass, type Turnstile } from './surface-queue.ts'
import { Margin } from './jitter-margin.ts'
import { isMomentary } from './contention.ts'
import { Pace } from './pace.ts'
import { type Send, SendLog } from './send-log.ts'
import { type Kept, Shares } from './client-shares.ts'
import { now } from '../lib/time.ts'

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
