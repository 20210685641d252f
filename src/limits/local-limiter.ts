import pLimit from 'p-limit'
import { organizationLimits } from '../api/limits.ts'
import { isTiedToRequests } from '../lib/runtime.ts'
import type { CallLimiter, Lease, LeaseOutcome, Limits, QueueRequest, QueueWait } from './interface.ts'
import { SurfacePace } from './surface-pace.ts'
import { SurfaceQueue } from './surface-queue.ts'

export class LocalLimiter implements CallLimiter {
  readonly limits: Limits
  readonly #all: Limits
  readonly #slots: Slots
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
    this.#slots = this.#polling ? countedSlots() : limitedSlots(this.limits.inFlight)
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
    return this.#slots.taken === 0 && Array.from(this.#queues.values()).every(({ pace }) => pace.isIdle)
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
    const hasNoSlot = (): boolean => this.#slots.taken >= this.limits.inFlight
    const queue = new SurfaceQueue(pace, {
      wait: () => pace.wait,
      hasNoSlot,
      // In Cloudflare's workers, no call may wait for the end of another one's request.
      isFull: this.#polling && hasNoSlot,
      take: () => {
        // The other surfaces come first the next time.
        if (this.#queues.size > 1) {
          this.#queues.delete(name)
          this.#queues.set(name, queue)
        }
        this.#inUse?.add(this)
        return this.#slots.take().then((free) => ({
          release: () => {
            free()
            this.wake()
          },
        }))
      },
    })
    this.#queues.set(name, queue)
    return queue
  }
}

interface Slots {
  readonly taken: number
  /** Resolves with what frees the slot. */
  take(): Promise<() => void>
}

/** The queue of p-limit holds surfaces with a call to send: the calls wait in the queue of their surface. */
function limitedSlots(inFlight: number): Slots {
  const limit = pLimit(inFlight)
  return {
    get taken() {
      return limit.activeCount
    },
    take: () => new Promise((resolve) => void limit(() => new Promise<void>((free) => resolve(free)))),
  }
}

/** In Cloudflare's workers, a slot is only asked for when it is free, and its end must resolve no promise of the request that took it. */
function countedSlots(): Slots {
  let taken = 0
  return {
    get taken() {
      return taken
    },
    take: () => {
      taken++
      return Promise.resolve(() => {
        taken--
      })
    },
  }
}

/** Milliseconds between two polls of a queued call. */
const pollMs = 20

/** Milliseconds between two heartbeats of a call in flight. */
const heartbeatMs = 500

/** After so many milliseconds without a poll or heartbeat, a call has ended with its request. */
const silentMs = 4 * heartbeatMs

/** A call in a queue. It keeps its result until it polls. */
interface PolledCall {
  leave: () => void
  seenAt: number
  timer: ReturnType<typeof setTimeout> | undefined
  /** Gives the lease or the refusal to the call; undefined before the result, and after its delivery. */
  deliver: (() => void) | undefined
  lease: Lease | undefined
}

/**
 * Queues calls on runtimes that tie timers and promises to the incoming request that made them, such as Cloudflare's
 * workers. An incoming request cannot wake another one, and may end in the middle of a call. So each call polls with its own
 * timer, and a call that stops polling loses its place or slot.
 */
class PollingCalls {
  readonly #calls = new Set<PolledCall>()
  readonly #wake: () => void

  /** @param wake Grants the leases that are due in all queues. */
  constructor(wake: () => void) {
    this.#wake = wake
  }

  acquire(queue: SurfaceQueue, request: QueueRequest): Promise<Lease> {
    return new Promise((resolve, reject) => {
      const call: PolledCall = {
        leave: () => {},
        seenAt: performance.now(),
        timer: undefined,
        deliver: undefined,
        lease: undefined,
      }
      const grant = (lease: Lease): void => {
        call.lease = lease
        const end = (outcome?: LeaseOutcome): void => {
          lease.end(outcome)
          this.#end(call)
        }
        call.deliver = () => resolve({ ...lease, end })
      }
      const refuse = (reason: unknown): void => {
        call.deliver = () => {
          this.#end(call)
          reject(reason)
        }
      }
      this.#calls.add(call)
      const entry = queue.enter(request, grant, refuse)
      call.leave = () => queue.cancel(entry, undefined)
      // The abort comes from the request of this call, which needs no poll to hear of it.
      request.signal.addEventListener('abort', () => call.deliver?.(), { once: true })
      this.#poll(call)
    })
  }

  #poll(call: PolledCall): void {
    const now = performance.now()
    // After a delay of its own, a call would take all other calls for ended.
    if (now - call.seenAt < silentMs / 2)
      for (const other of this.#calls) if (now - other.seenAt > silentMs) this.#end(other)
    call.seenAt = now
    if (call.lease === undefined || call.deliver !== undefined) this.#wake()
    call.timer = setTimeout(() => this.#poll(call), call.lease === undefined ? pollMs : heartbeatMs)
    if (call.deliver === undefined) return
    call.deliver()
    call.deliver = undefined
  }

  #end(call: PolledCall): void {
    clearTimeout(call.timer)
    this.#calls.delete(call)
    if (call.lease === undefined) call.leave()
    else call.lease.end()
  }
}
