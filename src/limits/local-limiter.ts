import { organizationLimits } from '../contract/limits.ts'
import { isTiedToRequests } from '../lib/browser.ts'
import { isMomentary } from './contention.ts'
import { JitterMargin } from './jitter-margin.ts'
import { type QueueParts, type Slot, SurfaceQueue } from './surface-queue.ts'
import {
  type CallQueue,
  type Lease,
  type Limiter,
  type Limits,
  type QueueWait,
  type Share,
  type Ticket,
  type Waiter,
  acquireFrom,
} from './limiter.ts'
import { type Send, Pace } from './pace.ts'
import { Polling } from './polling.ts'

/** A limiter for the clients of one process. */
export class LocalLimiter implements Limiter, CallQueue {
  readonly limits: Limits
  #slotsTaken = 0
  /** Callbacks of surfaces that wait for a slot, in order. */
  readonly #slotWaiters = new Set<(slot: Slot) => void>()
  readonly #queues = new Map<string | null, SurfaceQueue>()
  readonly #margin = new JitterMargin()
  /** The same for all queues. */
  readonly #queueParts: QueueParts = {
    inFlight: new WeakMap(),
    reserve: (then) => {
      this.#slotWaiters.add(then)
      // Deferred, so that of calls made together, the one with the highest priority goes first.
      queueMicrotask(this.#giveSlots)
    },
    onRelease: () => this.wake(),
  }
  #fewerSlotsUntil = -Infinity
  readonly #polling = isTiedToRequests() ? new Polling(() => this.wake()) : undefined
  readonly #inUse: Set<LocalLimiter> | undefined

  /** @param inUse A set that the limiter joins when it grants a lease. */
  constructor(limits: Partial<Limits> = {}, inUse?: Set<LocalLimiter>) {
    this.limits = { ...organizationLimits, ...limits }
    this.#inUse = inUse
  }

  /** Whether a new limiter would behave the same: nothing is in flight, and no request counts any more. */
  get isIdle(): boolean {
    return this.#slotsTaken === 0 && Array.from(this.#queues.values()).every(({ pace }) => pace.isIdle)
  }

  acquire(ticket: Ticket): Promise<Lease> {
    return acquireFrom(this, ticket)
  }

  enter(waiter: Waiter): void {
    const queue = this.#queue(waiter.surface)
    if (this.#polling === undefined) queue.enter(waiter)
    else this.#polling.enter(queue, waiter)
  }

  leave(waiter: Waiter): void {
    if (this.#polling === undefined) this.#queue(waiter.surface).leave(waiter)
    else this.#polling.leave(waiter)
  }

  hold(surface: string | null, milliseconds: number): void {
    const { inFlight, windowMs } = this.limits
    // With all slots in use, another process may hold one: use one less for half a window.
    if (isMomentary(milliseconds, windowMs) && this.#slotsTaken >= inFlight)
      this.#fewerSlotsUntil = performance.now() + windowMs / 2
    this.#queue(surface).hold(milliseconds)
  }

  waitOf(surface: string | null, share: Share): QueueWait | null {
    return this.#queues.get(surface)?.waitOf(share) ?? null
  }

  /** Counts a request that another limiter has granted, as if acquired here. */
  adopt(surface: string | null, share: Share, send: Send): Lease {
    // It takes the next free slot, unless it ends before.
    const slot: Slot = { release: () => void this.#slotWaiters.delete(take) }
    const take = (): void => void (slot.release = this.#freeSlot)
    this.#queueParts.reserve(take, share)
    return this.#queue(surface).lease(send, share, slot)
  }

  /** Grants the leases that are due. Timers may be late, in a background page for example. */
  wake(): void {
    for (const queue of this.#queues.values()) queue.wake()
  }

  #queue(name: string | null): SurfaceQueue {
    const known = this.#queues.get(name)
    if (known !== undefined) return known
    // Calls without a surface are not paced.
    const perMinute = name === null ? Infinity : this.limits.perMinute
    const queue = new SurfaceQueue(new Pace(this.limits, this.#margin, perMinute), this.#queueParts)
    this.#queues.set(name, queue)
    return queue
  }

  readonly #giveSlots = (): void => {
    const usesFewer = performance.now() <= this.#fewerSlotsUntil
    const most = usesFewer ? Math.max(1, this.limits.inFlight - 1) : this.limits.inFlight
    while (this.#slotsTaken < most) {
      const [then] = this.#slotWaiters
      if (then === undefined) return
      this.#slotWaiters.delete(then)
      this.#slotsTaken++
      this.#inUse?.add(this)
      then({ release: this.#freeSlot })
    }
  }

  readonly #freeSlot = (): void => {
    this.#slotsTaken--
    this.#giveSlots()
  }
}
