import {
  type ErrorContext,
  type TimeoutPhase,
  SocialSearchError,
  TimeoutError,
  failureFor,
} from '../../errors/index.ts'
import { timePassed } from '../../errors/words.ts'
import { followAbort, runAfter, within } from '../../lib/abort.ts'
import type { CallSettings } from '../options/options.ts'

/** @param option The one that set the time, of so many milliseconds. */
export function timedOut(
  option: 'timeout' | 'deadline' | 'maxQueueWait',
  waited: number,
  phase: TimeoutPhase,
  context?: ErrorContext,
): TimeoutError {
  return new TimeoutError(timePassed(option, waited, phase), { ...context, phase, option, waited })
}

/**
 * The error of a call for what has ended it. One of this package knows no call yet, since several may share a login, a budget, a `close()`.
 * The reason of the caller's signal stays as it is.
 *
 * @param phase Where the call was, if its time ran out.
 */
export function errorOfEnd(
  reason: unknown,
  { signal }: CallSettings,
  context: ErrorContext,
  phase: TimeoutPhase,
): unknown {
  const isComplete = !(reason instanceof SocialSearchError) || reason.callId !== undefined
  if (isComplete || reason === signal?.reason) return reason
  const { option, waited = 0 } = reason instanceof TimeoutError ? reason : {}
  return option === undefined ? failureFor(reason, context) : timedOut(option, waited, phase, context)
}

/** What ends a call before its answer: its signal, its deadline, the longest wait, `close()`, a caller that has left. */
export class Cancellation extends AbortController {
  #sendBy = Infinity
  /** Makes the reason once `#sendBy` has passed. */
  #late: (() => TimeoutError) | undefined
  #isInFlight = false
  readonly #cleanUp: (() => void)[] = []

  /** Monotonic time after which nothing more is sent. */
  get sendBy(): number {
    return this.#sendBy
  }

  /** Whether a request is in flight: it may be charged, so only the signal, the deadline and `close()` end it. */
  get isInFlight(): boolean {
    return this.#isInFlight
  }

  markInFlight(isInFlight: boolean): void {
    this.#isInFlight = isInFlight
  }

  /** Throws the reason of the abort. Work that blocks the thread delays timers, so it checks the time first. */
  throwIfAborted(): void {
    if (performance.now() > this.sendBy && this.#late) this.abort(this.#late())
    this.signal.throwIfAborted()
  }

  /** Cancels the call on its signal, at its deadline, if it is not sent in time, or when nobody waits for it any more. */
  start({ signal, deadline, maxQueueWait }: CallSettings, callerLeft?: AbortSignal): void {
    if (signal) this.#follow(signal, (reason) => this.abort(reason))
    if (callerLeft) this.#follow(callerLeft, (reason) => this.#leave(reason))
    this.#expireAfter(deadline, 'deadline')
    this.#expireAfter(maxQueueWait, 'maxQueueWait')
  }

  /** Settles with the work, or rejects as soon as the call is aborted. */
  race<T>(work: () => Promise<T>): Promise<T> {
    return within<T, never>(Infinity, work, undefined, this.signal)
  }

  /** Listens to nothing any more: the call has ended. */
  stop(): void {
    for (const cleanUp of this.#cleanUp.splice(0)) cleanUp()
  }

  #follow(signal: AbortSignal, abort: (reason: unknown) => void): void {
    this.#cleanUp.push(followAbort(signal, abort))
    if (signal.aborted) abort(signal.reason)
  }

  #leave(reason: unknown): void {
    // The request in flight is the last one.
    if (this.isInFlight) this.#sendBy = -Infinity
    else this.abort(reason)
  }

  #expireAfter(ms: number, option: 'deadline' | 'maxQueueWait'): void {
    if (ms === Infinity) return
    const late = (): TimeoutError => timedOut(option, ms, this.isInFlight ? 'headers' : 'queue')
    const end = performance.now() + ms
    if (end < this.sendBy) {
      this.#sendBy = end
      this.#late = late
    }
    const stop = runAfter(ms, () => {
      // A request that was sent goes on, unless its call is at its end.
      if (option === 'deadline' || !this.isInFlight) this.abort(late())
    })
    this.#cleanUp.push(stop)
  }
}
