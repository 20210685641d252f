import pLimit from 'p-limit'
import { organizationLimits } from '../api/limits.ts'
import { isTiedToRequests } from '../lib/cloudflare-workers.ts'
import { type CallLimiter, type QueueRequest, type Lease, type Limits, type QueueWait } from './interface.ts'
import { SurfacePace } from './surface-pace.ts'
import { PollingCalls } from './polling-calls.ts'
import { type Slot, SurfaceQueue } from './surface-queue.ts'

export class LocalLimiter implements CallLimiter {
  readonly limits: Limits
  readonly #all: Limits
  #taken = 0
  /** Its queue holds surfaces with a call to send: the calls wait in the queue of their surface. */
  readonly #slots: ReturnType<typeof pLimit>
  readonly #polling = isTiedToRequests() ? new PollingCalls(() => this.wake()) : undefined
  readonly #queues = new Map<string | null, SurfaceQueue>()
  readonly #inUse: Set<LocalLimiter> | undefined

  /**
   * @param limits Of this process.
   * @param all The organization's limits, if this process has only a part of them.
   * @param inUse A set that the limiter joins when it grants a lease.
   */
  constructor(limits: Partial<Limits> = {}, all?: Limits, inUse?: Set<LocalLimiter>) {
    this.#inUse = inUse
    this.limits = { ...organizationLimits, ...limits }
    this.#all = all ?? this.limits
    this.#slots = pLimit(this.limits.inFlight)
  }

  acquire(request: QueueRequest): Promise<Lease> {
    const queue = this.#queue(request.surface)
    return this.#polling === undefined ? queue.acquire(request) : this.#polling.acquire(queue, request)
  }

  waitOf(surface: string | null): QueueWait | null {
    return this.#queues.get(surface)?.waitOf() ?? null
  }

  /** Whether a new limiter would behave the same: nothing is in flight, and no request counts any more. */
  get isIdle(): boolean {
    return this.#taken === 0 && Array.from(this.#queues.values()).every(({ pace }) => pace.isIdle)
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
    const pace = new SurfacePace(this.#all, perMinute)
    const hasNoSlot = (): boolean => this.#taken >= this.limits.inFlight
    const queue = new SurfaceQueue(pace, {
      wait: () => pace.wait,
      hasNoSlot,
      // In Cloudflare's workers, no call may wait for the end of another one's request.
      isFull: this.#polling && hasNoSlot,
      take: () => {
        // The other surfaces come first the next time.
        this.#queues.delete(name)
        this.#queues.set(name, queue)
        this.#inUse?.add(this)
        // In Cloudflare's workers, a slot is free here, and its end must resolve no promise of the request that took it.
        if (this.#polling) return Promise.resolve(this.#slot(() => {}))
        return new Promise((resolve) => {
          void this.#slots(() => new Promise<void>((free) => resolve(this.#slot(free))))
        })
      },
    })
    this.#queues.set(name, queue)
    return queue
  }

  #slot(free: () => void): Slot {
    this.#taken++
    return {
      release: () => {
        this.#taken--
        free()
        this.wake()
      },
    }
  }
}
