import { type Charged, ClosedError, type ErrorContext, QueueFullError } from '../../errors.ts'
import type { Abortable } from '../lib/abort.ts'
import { isTiedToRequests } from '../lib/browser.ts'
import type { CallQueue, QueueWait, Share, Waiter } from '../limits/limiter.ts'
import { type ClientStatus, surfaceStatus } from './client-status.ts'

/** Milliseconds between two checks why calls wait. */
const observeMs = 250

interface OpenCall extends Waiter, Abortable {
  /** Monotonic time at which the call joined the queue. */
  readonly queuedAt: number
  /** The charge of its request in flight. */
  readonly chargedSoFar: Charged
  readonly settings: { readonly limiter: CallQueue }
  readonly observer: { check(wait: QueueWait | null, queuedMs: number): void } | undefined
  context(charged?: Charged): ErrorContext
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
  #onIdle: (() => void) | undefined
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
    if (this.#calls.size === 0) this.#onIdle?.()
  }

  /** @throws {QueueFullError} if too many calls wait already. */
  queue(call: OpenCall): void {
    const free = Math.max(0, call.share.inFlight - this.inFlight)
    if (!call.resumed && this.#queued >= this.#maxQueued + free)
      throw new QueueFullError(this.#maxQueued, call.context())
    this.#queued++
    this.#surfaces.add(call.surface)
    if (call.observer === undefined) return
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
  status(limiter: CallQueue, share: Share): ClientStatus {
    const queued = [...this.#calls].filter(({ entry }) => entry !== undefined)
    return {
      slots: { taken: this.inFlight, limit: share.inFlight },
      surfaces: [...this.#surfaces].map((surface) => {
        const calls = queued.filter((call) => call.surface === surface)
        return surfaceStatus(
          surface,
          calls.map(({ priority }) => priority),
          limiter,
          share,
        )
      }),
    }
  }

  /** Aborts all open and future calls; resolves when all have settled. */
  close(): Promise<void> {
    this.#isClosed = true
    for (const call of this.#calls) call.abort(new ClosedError(call.context(call.chargedSoFar)))
    if (this.#calls.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const others = this.#onIdle
      this.#onIdle = () => {
        others?.()
        resolve()
      }
    })
  }

  #observe(): void {
    const waits = new Map<string | null, QueueWait | null>()
    for (const call of this.#observed) {
      const { surface, share, settings, observer, queuedAt } = call
      if (!waits.has(surface)) waits.set(surface, settings.limiter.waitOf?.(surface, share) ?? null)
      observer?.check(waits.get(surface) ?? null, performance.now() - queuedAt)
    }
    this.#timer = setTimeout(() => this.#observe(), observeMs)
  }
}
