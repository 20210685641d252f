import {
  type ErrorContext,
  type SocialSearchError,
  type TimeoutPhase,
  TimeoutError,
} from '../../errors/index.ts'
import { timePassed } from '../../errors/words.ts'
import { followAbort, runAfter, within } from '../../lib/abort.ts'
import { isMarked } from '../../lib/thrown.ts'
import type { CallSettings } from '../options/options.ts'

/** What every `Ended` has: a cache may come from another copy of this package. */
const brand: unique symbol = Symbol.for('social-search-sdk ended 1')

/** Why this package has ended a call. Its error is made later, when the facts of the call are known. */
export class Ended {
  readonly code: 'timeout' | 'closed'
  readonly toError: (context: ErrorContext, phase: TimeoutPhase) => SocialSearchError

  readonly [brand] = true

  constructor(code: Ended['code'], toError: Ended['toError']) {
    this.code = code
    this.toError = toError
  }
}

export function isEnded(reason: unknown): reason is Ended {
  return isMarked(reason, brand)
}

/** @param option The one that set the time, of so many milliseconds. */
export function timedOut(
  option: 'timeout' | 'deadline' | 'maxQueueWait',
  waited: number,
  context: ErrorContext,
  phase: TimeoutPhase,
): TimeoutError {
  return new TimeoutError(timePassed(option, waited, phase), { ...context, phase, option, waited })
}

/** What ends a call before its answer: its signal, its deadline, the longest wait, `close()`, a caller that has left. */
export class Cancellation extends AbortController {
  #sendBy = Infinity
  /** The reason once `#sendBy` has passed. */
  #late: Ended | undefined
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
    if (performance.now() > this.sendBy && this.#late) this.abort(this.#late)
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
    const reason = new Ended('timeout', (context, phase) => timedOut(option, ms, context, phase))
    const end = performance.now() + ms
    if (end < this.sendBy) {
      this.#sendBy = end
      this.#late = reason
    }
    const stop = runAfter(ms, () => {
      // A request that was sent goes on, unless its call is at its end.
      if (option === 'deadline' || !this.isInFlight) this.abort(reason)
    })
    this.#cleanUp.push(stop)
  }
}
