import type { TimeoutError, TimeoutPhase } from '../../errors/index.ts'
import { type Abortable, followAbort } from '../../lib/abort.ts'
import { after } from '../../lib/time.ts'
import type { CallSettings } from '../options/settings.ts'
import type { CallObserver } from './call-observer.ts'

/** Cancellation rules for a call that a proxy makes for its client. */
export interface CancelRules {
  /**
   * Cancels the call if no request is in flight. A request in flight may be charged, so the call waits for its
   * response, but does not retry.
   */
  readonly abandon?: AbortSignal | undefined
  /** Milliseconds in which the call may be sent. A request in flight is not cancelled. */
  readonly maxQueueWaitMs?: number | undefined
}

/** The calls that wait for a request that they share. */
export interface Sharers {
  /** The observer of the call that pays. */
  readonly observer: CallObserver | undefined
  /** The longest timeout of one attempt that one of them allows, in milliseconds. */
  readonly timeoutMs: number
  /** Monotonic time after which none of them needs the request to be sent. */
  readonly sendBy: number
  /** @throws the reason for which the call that pays has ended, if it has. */
  throwIfAborted(): void
  /** Called when the phase of the request changes. */
  onPhase(): void
}

const phaseDescriptions: Record<TimeoutPhase, string> = {
  queue: 'in the queue',
  headers: 'before the response began',
  body: 'before the response was complete',
  wait: 'between two attempts',
}

/**
 * Everything that can cancel a call: its signal, its deadline, the longest wait in the queue, `close()`, a proxy whose
 * client has left, and the timeout of an attempt.
 */
export abstract class Cancellable implements Abortable {
  protected readonly sharers: Sharers | undefined
  #aborted: { readonly reason: unknown } | undefined
  #onAbort: ((reason: unknown) => void) | undefined
  #cleanUp: (() => void)[] | undefined
  /** Monotonic time after which the call sends nothing more. */
  #sendBy: number | undefined
  /** Aborts the call, once `#sendBy` has passed. */
  #expire: (() => void) | undefined

  constructor(sharers: Sharers | undefined) {
    this.sharers = sharers
  }

  abstract readonly phase: TimeoutPhase
  /** Timeout of one attempt, in milliseconds. */
  protected abstract readonly timeoutMs: number
  /** The error of an attempt that has exceeded its timeout. */
  protected abstract lateError(): TimeoutError
  abstract timeoutError(message: string): TimeoutError
  /** Ends the wait in the queue. */
  protected abstract cancelWait(reason: unknown): void

  /** Whether the call has no request in flight. */
  get isIdle(): boolean {
    return this.phase === 'queue' || this.phase === 'wait'
  }

  abort(reason: unknown): void {
    if (this.#aborted !== undefined) return
    this.#aborted = { reason }
    this.cancelWait(reason)
    this.#onAbort?.(reason)
  }

  /** Whether the call was aborted with this reason. */
  isReason(error: unknown): boolean {
    return this.#aborted !== undefined && error === this.#aborted.reason
  }

  /** Monotonic time after which the call sends nothing more. */
  get sendBy(): number {
    return this.sharers?.sendBy ?? this.#sendBy ?? Infinity
  }

  get maxQueueWait(): number {
    return Math.max(0, this.sendBy - performance.now())
  }

  /** Throws the reason of the abort. It first aborts an expired call: work that blocks the thread delays the timer. */
  throwIfAborted(): void {
    if (performance.now() > this.sendBy) {
      // A shared request has no deadline of its own: the call that pays knows the reason.
      this.sharers?.throwIfAborted()
      this.#expire?.()
    }
    if (this.#aborted !== undefined) throw this.#aborted.reason
  }

  /** Settles with the work, or rejects as soon as the call is aborted. A call does one work at a time. */
  race<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#setOnAbort(reject)
      if (this.#aborted === undefined) work().then(resolve, reject)
    })
  }

  /** Cancels the call on its signal, at its deadline, if it is not sent in time, or by the rules of a proxy. */
  cancelBy(
    { signal, deadlineMs, maxQueueWaitMs }: CallSettings,
    { abandon, maxQueueWaitMs: sendWithinMs = Infinity }: CancelRules = {},
  ): void {
    const sendMs = Math.min(sendWithinMs, maxQueueWaitMs)
    if (signal) this.#follow(signal, this)
    if (abandon) this.#follow(abandon, { abort: (reason) => this.#abandon(reason) })
    this.#expireAfter(deadlineMs, () => this.#abortLate(`the deadline of ${deadlineMs} ms passed`))
    this.#expireAfter(sendMs, () => {
      if (this.isIdle) this.#abortLate(`not sent in ${sendMs} ms`)
    })
  }

  /** Waits at least `ms` milliseconds; rejects when the call is aborted. */
  protected sleep(ms: number): Promise<void> {
    return this.race(() => new Promise((resolve) => this.#onClose(after(ms, resolve))))
  }

  /**
   * Makes an attempt, with a signal for its request. Rejects at its timeout, or with the reason of the abort. One timer
   * covers headers, body and hooks, since each can stall.
   */
  async withTimeout<T>(attempt: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController()
    const start = performance.now()
    let timer: ReturnType<typeof setTimeout> | undefined
    try {
      return await new Promise((resolve, reject) => {
        // A fetch may ignore its signal.
        const stop = (reason: unknown): void => {
          controller.abort(reason)
          reject(reason)
        }
        // Calls that share the request may allow it more time than those it began with.
        const expire = (): void => {
          const left = start + this.timeoutMs - performance.now()
          if (left > 0) timer = setTimeout(expire, Math.ceil(left))
          else stop(this.lateError())
        }
        expire()
        this.#setOnAbort(stop)
        attempt(controller.signal).then(resolve, reject)
      })
    } finally {
      clearTimeout(timer)
    }
  }

  /** Stops all that could cancel the call. */
  protected stopCancelling(): void {
    this.#cleanUp?.forEach((cleanUp) => cleanUp())
    // Node may keep the request, and with it this call, for long; the response must not stay with them.
    this.#onAbort = undefined
  }

  /** Sets the abort handler; calls it at once if the call is already aborted. */
  #setOnAbort(then: (reason: unknown) => void): void {
    this.#onAbort = then
    if (this.#aborted !== undefined) then(this.#aborted.reason)
  }

  /** Runs a function when the call ends. */
  #onClose(cleanUp: () => void): void {
    ;(this.#cleanUp ??= []).push(cleanUp)
  }

  #follow(signal: AbortSignal, follower: Abortable): void {
    this.#onClose(followAbort(signal, follower))
    if (signal.aborted) follower.abort(signal.reason)
  }

  #abandon(reason: unknown): void {
    if (this.isIdle) this.abort(reason)
    // No attempt follows the one in flight.
    else this.#sendBy = -Infinity
  }

  #expireAfter(ms: number, then: () => void): void {
    if (ms === Infinity) return
    const end = performance.now() + ms
    if (end < this.sendBy) {
      this.#sendBy = end
      this.#expire = then
    }
    const timer = setTimeout(then, ms)
    this.#onClose(() => clearTimeout(timer))
  }

  #abortLate(message: string): void {
    this.abort(this.timeoutError(`${message} ${phaseDescriptions[this.phase]}`))
  }
}
