import pLimit from 'p-limit'
import { organizationLimits } from '../../contract/limits.ts'
import { isMomentary } from './contention.ts'
import { acquireFrom } from './custom-limiter.ts'
import { JitterMargin } from './jitter-margin.ts'
import { type Slot, SurfaceQueue } from './surface-queue.ts'
import type { CallQueue, Lease, Limiter, Limits, Share, Ticket, Waiter } from './limiter.ts'
import { type Send, Pace } from './pace.ts'

/** One surface: the calls that wait for it, and its pace. */
interface Surface {
  readonly queue: SurfaceQueue
  readonly pace: Pace
}

/** A limiter for the clients of one process. */
export class LocalLimiter implements Limiter, CallQueue {
  readonly limits: Limits
  readonly #slots: ReturnType<typeof pLimit>
  readonly #surfaces = new Map<string | null, Surface>()
  readonly #margin = new JitterMargin()
  readonly #inFlight = new WeakMap<Share, number>()
  #loweredUntil = -Infinity

  constructor(limits: Partial<Limits> = {}) {
    this.limits = { ...organizationLimits, ...limits }
    this.#slots = pLimit(this.limits.inFlight)
  }

  acquire(ticket: Ticket): Promise<Lease> {
    return acquireFrom(this, ticket)
  }

  enter(waiter: Waiter): void {
    this.#at(waiter.surface).queue.enter(waiter)
  }

  leave(waiter: Waiter): void {
    this.#at(waiter.surface).queue.leave(waiter)
  }

  hold(surface: string | null, milliseconds: number): void {
    const { queue, pace } = this.#at(surface)
    pace.hold(milliseconds)
    if (isMomentary(milliseconds, this.limits.windowMs)) this.#lowerConcurrency()
    queue.refuseImpatient()
  }

  /** Counts a request that another limiter has let through, as if it had been acquired here. */
  adopt(surface: string | null, share: Share, send: Send): Lease {
    let slot: Slot | undefined
    let isOver = false
    this.#takeSlot((taken) => {
      slot = taken
      if (isOver) taken.release(send)
    })
    const release = (): void => {
      isOver = true
      slot?.release(send)
    }
    return this.#at(surface).queue.adopt(share, { release }, send)
  }

  /** Looks again whether calls may go, since timers may be late: in a page in the background, for example. */
  wake(): void {
    for (const { queue } of this.#surfaces.values()) queue.wake()
  }

  #at(name: string | null): Surface {
    const known = this.#surfaces.get(name)
    if (known !== undefined) return known
    const { inFlight, windowMs } = this.limits
    // What has no surface is not paced.
    const perMinute = name === null ? Infinity : this.limits.perMinute
    const pace = new Pace(perMinute, windowMs, this.#margin)
    const queue = new SurfaceQueue({
      pace,
      margin: this.#margin,
      inFlight: this.#inFlight,
      limits: { inFlight, perMinute: name === null ? 0 : perMinute },
      windowMs,
      reserve: this.#takeSlot,
      onRelease: () => this.wake(),
    })
    const surface = { queue, pace }
    this.#surfaces.set(name, surface)
    return surface
  }

  /** After a 429 with all slots in use, uses one less for half a window: another process may hold it. */
  #lowerConcurrency(): void {
    if (this.#slots.activeCount < this.limits.inFlight) return
    this.#slots.concurrency = Math.max(1, this.limits.inFlight - 1)
    this.#loweredUntil = performance.now() + this.limits.windowMs / 2
  }

  /** Takes one of the organization's slots. */
  readonly #takeSlot = (then: (slot: Slot) => void): void => {
    if (performance.now() > this.#loweredUntil && this.#slots.concurrency !== this.limits.inFlight)
      this.#slots.concurrency = this.limits.inFlight
    void this.#slots(() => new Promise<void>((release) => then({ release: () => release() })))
  }
}

// Limiters outlive the clients that use them: the service counts a minute of requests, from any client, so a client that
// is made anew for each job must find what its predecessor sent.
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
