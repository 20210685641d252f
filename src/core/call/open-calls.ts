import { type Charged, ClosedError, type ErrorContext, QueueFullError } from '../../errors.ts'
import type { Abortable } from '../lib/abort.ts'
import { isTiedToRequests } from '../lib/browser.ts'
import type { Waiter } from '../limits/limiter.ts'

/** How long a call queues before the log says so, in milliseconds. */
const longQueueMs = 30_000

/** A call under way. */
interface OpenCall extends Waiter, Abortable {
  /** Monotonic time at which the call began to wait. */
  readonly queuedAt: number
  /** Whether its request may have been charged by now. */
  readonly chargedSoFar: Charged
  context(charged?: Charged): ErrorContext
  /** Logs that the call still waits. */
  logWait(seconds: number): void
}

/** The open calls of a client and of the clients made from it with `withOptions`. */
export class OpenCalls {
  readonly #maxQueued: number
  readonly #calls = new Set<OpenCall>()
  /** Queued calls that the log has not mentioned yet, in the order of arrival. */
  readonly #unlogged = new Set<OpenCall>()
  #queued = 0
  #sent = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #onIdle: (() => void) | undefined
  #isClosed = false

  /** @param maxQueued Calls that may wait for their turn, besides those that find a free slot. */
  constructor(maxQueued: number) {
    this.#maxQueued = maxQueued
  }

  /** A call has begun; it is aborted at once if the client is closed. */
  add(call: OpenCall): void {
    this.#calls.add(call)
    if (this.#isClosed) call.abort(new ClosedError(call.context()))
  }

  /** A call has ended. */
  delete(call: OpenCall): void {
    this.#calls.delete(call)
    if (this.#calls.size === 0) this.#onIdle?.()
  }

  /** @throws {QueueFullError} if too many calls wait already. */
  queue(call: OpenCall): void {
    const free = Math.max(0, call.share.inFlight - this.#sent)
    if (!call.resumed && this.#queued >= this.#maxQueued + free)
      throw new QueueFullError(this.#maxQueued, call.context())
    this.#queued++
    this.#unlogged.add(call)
    // A timer for all calls would end with the request that the first of them belongs to.
    if (!isTiedToRequests()) this.#timer ??= setTimeout(() => this.#logLongest(), longQueueMs)
  }

  unqueue(call: OpenCall): void {
    this.#queued--
    this.#unlogged.delete(call)
    if (this.#unlogged.size > 0) return
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** A request takes a slot, until {@link OpenCalls.release}. */
  send(): void {
    this.#sent++
  }

  release(): void {
    this.#sent--
  }

  /** Ends every call, and further ones as they come; resolves when all have settled. */
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

  /** One timer serves all calls: the one that has waited longest is due first. */
  #logLongest(): void {
    for (const call of this.#unlogged) {
      const left = call.queuedAt + longQueueMs - performance.now()
      if (left > 0) {
        this.#timer = setTimeout(() => this.#logLongest(), Math.ceil(left))
        return
      }
      this.#unlogged.delete(call)
      call.logWait(longQueueMs / 1000)
    }
    this.#timer = undefined
  }
}
