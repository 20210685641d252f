// The limiter of one process: a queue and a pace for each surface, and the slots that all of them share. The first call of a queue goes when
// its pace allows it, and p-limit has a slot.

import pLimit from 'p-limit'
import { organizationLimits } from '../api/limits.ts'
import { isTiedToRequests } from '../lib/runtime.ts'
import type { CallLimiter, Permit, Limits, QueueRequest, QueueWait } from './interface.ts'
import { PollingCalls } from './polling-calls.ts'
import { SurfacePace } from './surface-pace.ts'
import { SurfaceQueue } from './surface-queue.ts'

/** What a limiter counts. */
interface Counts {
  readonly slots: SlotCounter
  readonly surfaces: Map<string | null, Paced>
}

/** The queue of a surface, and its pace. */
interface Paced {
  readonly pace: SurfacePace
  readonly queue: SurfaceQueue
}

export class LocalLimiter implements CallLimiter {
  readonly limits: Limits
  readonly #all: Limits
  readonly #polling = isTiedToRequests() ? new PollingCalls(() => this.wake()) : undefined
  /** Undefined while no request counts: a server may have many organizations. */
  #counts: Counts | undefined

  /**
   * @param limits Of this process.
   * @param all The organization's limits, if this process may send fewer.
   */
  constructor(limits: Limits = organizationLimits, all = limits) {
    this.limits = limits
    this.#all = all
  }

  acquire(request: QueueRequest): Promise<Permit> {
    const queue = this.#queue(request.surface)
    return this.#polling === undefined ? queue.acquire(request) : this.#polling.acquire(queue, request)
  }

  waitOf(surface: string | null): QueueWait | null {
    return this.#counts?.surfaces.get(surface)?.queue.waitOf() ?? null
  }

  /** Keeps no counts if a new limiter would behave the same: nothing is in flight, and no request counts any more. */
  forgetIfIdle(): void {
    const { slots, surfaces } = this.#counts ?? {}
    if (slots?.taken === 0 && Array.from(surfaces?.values() ?? []).every(({ pace }) => pace.isIdle))
      this.#counts = undefined
  }

  /** Grants the permits that are due. Timers may be late, in a background page for example. */
  wake(): void {
    for (const { queue } of this.#counts?.surfaces.values() ?? []) queue.wake()
  }

  #queue(name: string | null): SurfaceQueue {
    const { slots, surfaces } = (this.#counts ??= {
      slots: this.#polling ? countedSlots() : limitedSlots(this.limits.inFlight),
      surfaces: new Map<string | null, Paced>(),
    })
    const known = surfaces.get(name)
    if (known !== undefined) return known.queue
    // Calls without a surface are not paced.
    const perMinute = name === null ? Infinity : this.limits.perMinute
    const pace = new SurfacePace(this.#all, perMinute)
    const queue = new SurfaceQueue({
      closed: () => pace.closed(),
      wait: () => pace.wait(),
      waitBehind: (ahead) => pace.waitBehind(ahead),
      isFull: () => slots.taken >= this.limits.inFlight,
      take: async () => {
        // The other surfaces come first the next time.
        if (surfaces.size > 1) {
          surfaces.delete(name)
          surfaces.set(name, surface)
        }
        const free = await slots.take()
        return {
          use: (request) => pace.add(request),
          release: (request, outcome) => {
            if (request !== null) pace.end(request, outcome)
            free()
            this.wake()
          },
        }
      },
    })
    const surface = { pace, queue }
    surfaces.set(name, surface)
    return queue
  }
}

/** Counts the requests in flight. */
interface SlotCounter {
  readonly taken: number
  /** Resolves with what frees the slot. */
  take(): Promise<() => void>
}

/** The queue of p-limit holds surfaces with a call to send: the calls wait in the queue of their surface. */
function limitedSlots(inFlight: number): SlotCounter {
  const limit = pLimit(inFlight)
  return {
    get taken() {
      return limit.activeCount
    },
    take: () => new Promise((resolve) => void limit(() => new Promise<void>((free) => resolve(free)))),
  }
}

/** In Cloudflare's workers, a slot is only asked for when it is free, and its end must resolve no promise of the request that took it. */
function countedSlots(): SlotCounter {
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
