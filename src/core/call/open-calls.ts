import { ClosedError, type ErrorContext, QueueFullError } from '../../errors/index.ts'
import type { Abortable } from '../../lib/abort.ts'
import { isTiedToRequests } from '../../lib/browser.ts'
import { dateIn } from '../../lib/time.ts'
import { isNoticeDue, noticeWait } from '../../lib/wait-notice.ts'
import type { CallLimiter, CallTicket, QueueWait, Share } from '../../limits/interface.ts'
import type { Wait } from '../options/types.ts'
import type { CallObserver } from './call-observer.ts'

/** Milliseconds between two checks why calls wait. */
const checkMs = 250

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
  readonly call: {
    readonly client: { readonly limiter: CallLimiter; readonly baseUrl: string }
    readonly operation: { readonly id: string }
  }
  readonly queuedAt: number | undefined
  readonly observer: CallObserver | undefined
  context(): ErrorContext
}

/** The open calls of a client and of the clients made from it with `withOptions`. */
export class OpenCalls {
  /** Requests that have a slot. */
  #inFlight = 0
  readonly #maxQueued: number
  readonly #calls = new Set<OpenCall>()
  /** Every surface that calls have queued for. */
  readonly #surfaces = new Set<string | null>()
  #queued = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #onIdle: (() => void)[] = []
  #isClosed = false
  /** In Cloudflare's workers, the timer would end with the incoming request that its first call belongs to. */
  readonly #isTied = isTiedToRequests()

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

  enterSlot(): void {
    this.#inFlight++
  }

  leaveSlot(): void {
    this.#inFlight--
  }

  /** @throws {QueueFullError} if too many calls wait already. */
  queue(call: OpenCall): void {
    const free = Math.max(0, call.share.inFlight - this.#inFlight)
    if (!call.isRetry && this.#queued >= this.#maxQueued + free)
      throw new QueueFullError(this.#maxQueued, call.context())
    this.#queued++
    this.#surfaces.add(call.surface)
    this.#watch(call)
  }

  unqueue(): void {
    this.#queued--
    if (this.#queued > 0) return
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** Queued calls by surface, and requests in flight. */
  status(limiter: CallLimiter, share: Share): ClientStatus {
    const queued = [...this.#calls].filter(({ queuedAt }) => queuedAt !== undefined)
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
    return { slots: { taken: this.#inFlight, limit: share.inFlight }, surfaces }
  }

  /** Aborts all open and future calls; resolves when all have settled. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const call of this.#calls) call.abort(new ClosedError(call.context()))
    if (this.#calls.size > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve))
  }

  /** Checks soon why a call waits, if it is still queued then. */
  #watch({ observer }: OpenCall): void {
    if ((observer || isNoticeDue) && !this.#isTied) this.#timer ??= setTimeout(() => this.#check(), checkMs)
  }

  #check(): void {
    this.#timer = undefined
    const now = performance.now()
    const waits = new Map<string | null, QueueWait | null>()
    // A copy, since a callback may make another call.
    for (const call of [...this.#calls]) {
      const { surface, share, observer, queuedAt } = call
      if (queuedAt === undefined) continue
      this.#watch(call)
      if (!waits.has(surface)) waits.set(surface, call.call.client.limiter.waitOf?.(surface, share) ?? null)
      const wait = waits.get(surface) ?? null
      if (observer) observer.check(wait, now - queuedAt)
      else noticeWait(call.call, wait, now - queuedAt)
    }
  }
}
