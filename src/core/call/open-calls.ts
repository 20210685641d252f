import { ClosedError, type ErrorContext, QueueFullError } from '../../errors/index.ts'
import type { Abortable } from '../../lib/abort.ts'
import { isTiedToRequests } from '../../lib/browser.ts'
import { dateIn } from '../../lib/time.ts'
import type { CallLimiter, CallTicket, QueueWait, Share } from '../../limits/interface.ts'
import type { Wait } from '../options/types.ts'
import type { CallObserver } from './call-observer.ts'

/** Milliseconds between two checks why calls wait. */
const observeMs = 250

/** Requests in flight and queued calls of a client and of the clients made from it with `withOptions`. */
export interface ClientStatus {
  /** Requests in flight, and their limit. */
  slots: { taken: number; limit: number }
  /** Every surface called so far; `null` for calls without a surface. */
  surfaces: SurfaceStatus[]
}

/** The queue of one search surface. */
interface SurfaceStatus {
  surface: string | null
  /** Queued calls. */
  queued: number
  /** Queued calls by priority, highest first. */
  byPriority: { priority: number; queued: number }[]
  /** Why and until when a new call would wait; null if it would not, or if the limiter does not tell. */
  wait: { reason: Exclude<Wait['reason'], 'retry'>; until: Date | null } | null
}

interface OpenCall extends CallTicket, Abortable {
  readonly client: { readonly limiter: CallLimiter }
  readonly isQueued: boolean
  readonly observer: CallObserver | undefined
  context(): ErrorContext
}

/** The open calls of a client and of the clients made from it with `withOptions`. */
export class OpenCalls {
  /** Requests that have a slot. */
  inFlight = 0
  readonly #maxQueued: number
  readonly #calls = new Set<OpenCall>()
  readonly #observed = new Set<OpenCall>()
  /** Every surface that calls have queued for. */
  readonly #surfaces = new Set<string | null>()
  #queued = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #onIdle: (() => void)[] = []
  #isClosed = false

  /** @param maxQueued Calls that may be queued, besides those that find a free slot. */
  constructor(maxQueued: number) {
    this.#maxQueued = maxQueued
  }

  /** Adds a call, or aborts it if the client is closed. */
  add(call: OpenCall): void {
    this.#calls.add(call)
    if (this.#isClosed) call.abort(new ClosedError(call.context()))
  }

  delete(call: OpenCall): void {
    this.#calls.delete(call)
    if (this.#calls.size === 0) this.#onIdle.forEach((resolve) => resolve())
  }

  /** @throws {QueueFullError} if too many calls wait already. */
  queue(call: OpenCall): void {
    const free = Math.max(0, call.share.inFlight - this.inFlight)
    if (!call.resumed && this.#queued >= this.#maxQueued + free)
      throw new QueueFullError(this.#maxQueued, call.context())
    this.#queued++
    this.#surfaces.add(call.surface)
    if (call.observer === undefined) return
    call.observer.queuedAt = performance.now()
    this.#observed.add(call)
    // There, the timer would end with the request that its first call belongs to.
    if (!isTiedToRequests()) this.#timer ??= setTimeout(() => this.#observe(), observeMs)
  }

  unqueue(call: OpenCall): void {
    this.#queued--
    this.#observed.delete(call)
    if (this.#observed.size > 0) return
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** Queued calls by surface, and requests in flight. */
  status(limiter: CallLimiter, share: Share): ClientStatus {
    const queued = [...this.#calls].filter(({ isQueued }) => isQueued)
    const surfaces = [...this.#surfaces].map((surface) => {
      const priorities = queued.filter((call) => call.surface === surface).map(({ priority }) => priority)
      const { reason, ms } = limiter.waitOf?.(surface, share) ?? { reason: null, ms: 0 }
      return {
        surface,
        queued: priorities.length,
        byPriority: [...new Set(priorities)]
          .sort((a, b) => b - a)
          .map((priority) => ({ priority, queued: priorities.filter((each) => each === priority).length })),
        wait: reason && { reason, until: dateIn(ms) },
      }
    })
    return { slots: { taken: this.inFlight, limit: share.inFlight }, surfaces }
  }

  /** Aborts all open and future calls; resolves when all have settled. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const call of this.#calls) call.abort(new ClosedError(call.context()))
    if (this.#calls.size > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve))
  }

  #observe(): void {
    // A callback may end its call, or make another one.
    this.#timer = setTimeout(() => this.#observe(), observeMs)
    const waits = new Map<string | null, QueueWait | null>()
    for (const call of this.#observed) {
      const { surface, share, client, observer } = call
      if (!waits.has(surface)) waits.set(surface, client.limiter.waitOf?.(surface, share) ?? null)
      observer?.check(waits.get(surface) ?? null)
    }
  }
}
