import pLimit from 'p-limit'
import { organizationLimits } from '../api/limits.ts'
import { isTiedToRequests } from '../lib/browser.ts'
import { type CallLimiter, type Ticket, type Lease, type Limits, type QueueWait } from './interface.ts'
import { Pace } from './pace.ts'
import { CountedSlots, PollingCalls } from './cloudflare-workers.ts'
import { type Slot, type Slots, SurfaceQueue } from './surface-queue.ts'

/** Slots of p-limit, whose queue holds surfaces with a call to send: the calls wait in the queue of their surface. */
class QueuedSlots implements Slots {
  readonly isFull = false
  readonly #limit: ReturnType<typeof pLimit>

  constructor(most: number) {
    this.#limit = pLimit(most)
  }

  get taken(): number {
    return this.#limit.activeCount
  }

  take(): Promise<Slot> {
    return new Promise((resolve) => {
      void this.#limit(() => new Promise<void>((free) => resolve({ release: () => free() })))
    })
  }
}

/** A limiter for the clients of one process. */
export class LocalLimiter implements CallLimiter {
  readonly limits: Limits
  readonly #all: Limits
  protected readonly slots: Slots
  readonly #polling: PollingCalls | undefined
  protected readonly queues = new Map<string | null, SurfaceQueue>()
  readonly #inUse: Pick<Set<unknown>, 'add'> | undefined

  /**
   * @param limits Of this process.
   * @param all The organization's limits, if this process has only a part of them.
   * @param inUse A set that the limiter joins when it grants a lease.
   */
  constructor(limits: Partial<Limits> = {}, all?: Limits, inUse?: Pick<Set<unknown>, 'add'>) {
    this.#inUse = inUse
    this.limits = { ...organizationLimits, ...limits }
    this.#all = all ?? this.limits
    const { inFlight } = this.limits
    if (isTiedToRequests()) {
      this.slots = new CountedSlots(inFlight)
      this.#polling = new PollingCalls(() => this.wake())
    } else this.slots = new QueuedSlots(inFlight)
  }

  acquire(ticket: Ticket): Promise<Lease> {
    const queue = this.queue(ticket.surface)
    return this.#polling === undefined ? queue.acquire(ticket) : this.#polling.acquire(queue, ticket)
  }

  hold(surface: string | null, milliseconds: number): void {
    this.queue(surface).hold(milliseconds)
  }

  waitOf(surface: string | null): QueueWait | null {
    return this.queues.get(surface)?.waitOf() ?? null
  }

  /** Grants the leases that are due. Timers may be late, in a background page for example. */
  wake(): void {
    for (const queue of this.queues.values()) queue.wake()
  }

  protected queue(name: string | null): SurfaceQueue {
    const known = this.queues.get(name)
    if (known !== undefined) return known
    // Calls without a surface are not paced.
    const perMinute = name === null ? Infinity : this.limits.perMinute
    const pace = new Pace(this.#all, perMinute)
    const queue = new SurfaceQueue(pace, {
      wait: () => pace.wait,
      hasNoSlot: () => this.slots.taken >= this.limits.inFlight,
      isFull: () => this.slots.isFull,
      take: () => {
        // The other surfaces come first the next time.
        this.queues.delete(name)
        this.queues.set(name, queue)
        return this.take()
      },
      wake: () => this.wake(),
    })
    this.queues.set(name, queue)
    return queue
  }

  protected take(): Promise<Slot | undefined> {
    this.#inUse?.add(this)
    return this.slots.take()
  }
}
