import type { Operation } from '../../api/operation.ts'
import type { Attempt, Charged } from '../../errors/index.ts'
import { isSocialSearchError } from '../../errors/index.ts'
import { messageOf, runUserCallback } from '../../lib/thrown.ts'
import { dateIn } from '../../lib/time.ts'
import type { QueueWait } from '../../limits/interface.ts'
import type { CallCredits } from '../credits/ledger.ts'
import type { CallSettings } from '../options/settings.ts'
import type { Cached, ObservedCall, ObservedStart, Observer, Wait } from '../options/types.ts'
import type { ComposedRequest } from './compose-request.ts'
import { contextOf, worstOf } from './error-context.ts'

let calls = 0

/** The `outcome` of a failure: the code of an error of this package, or `aborted`. */
export function codeOf(error: unknown): string {
  return isSocialSearchError(error) ? error.code : 'aborted'
}

type Answered = Pick<ObservedCall, 'attempts' | 'credits' | 'requestId'> & { readonly cached?: Cached }

/** Tells the observers of one call what it does. */
export class CallObserver {
  /** What all events have. */
  readonly call: ObservedStart
  readonly #of: { settings: CallSettings; operation: Operation; request: ComposedRequest }
  readonly #attempts: Attempt[] = []
  readonly #effects: Charged[] = []
  #told: CallCredits = { spent: 0, uncertain: 0 }
  /** Reported waits: their ends by reason. */
  readonly #reported = new Map<Wait['reason'], number>()

  constructor(settings: CallSettings, operation: Operation, request: ComposedRequest) {
    const { id, surface } = operation
    this.#of = { settings, operation, request }
    this.call = { id: ++calls, operation: id, surface }
  }

  /** Reports why the call is queued if the reason is new, or if a 429 closes the surface for longer. */
  check(wait: QueueWait | null): void {
    if (wait === null) return
    const { reason, ms } = wait
    const reportedEnd = this.#reported.get(reason)
    const end = Date.now() + ms
    if (reportedEnd !== undefined && !(reason === 'rate_limited' && end > reportedEnd + 1000)) return
    this.#reported.set(reason, end)
    this.report(reason, ms)
  }

  report(reason: Wait['reason'], ms: number): void {
    this.#tell('onWait', { ...this.call, reason, until: dateIn(ms) })
  }

  /**
   * Reports that an attempt has ended, and its credits.
   *
   * @param credits Of the call so far.
   */
  attempt(attempt: Attempt, { spent, uncertain }: CallCredits, tookEffect: Charged): void {
    const credits = { spent: spent - this.#told.spent, uncertain: uncertain - this.#told.uncertain }
    this.#told = { spent, uncertain }
    this.#attempts.push(attempt)
    this.#effects.push(tookEffect)
    this.#tell('onAttempt', { ...this.call, ...attempt, credits })
  }

  async observe<T extends Answered>(work: () => Promise<T>): Promise<T> {
    const start = performance.now()
    const end = (known: Omit<ObservedCall, keyof ObservedStart | 'duration'>): void =>
      this.#tell('onCall', { ...this.call, ...known, duration: performance.now() - start })
    try {
      const answer = await work()
      const { attempts, credits, cached } = answer
      const { charged = 'no', requestId = answer.requestId } = attempts.at(-1) ?? {}
      end({ outcome: 'ok', charged, applied: undefined, attempts, requestId, credits, cached })
      return answer
    } catch (error) {
      const outcome = codeOf(error)
      // The reason of an abort says nothing of the call.
      const own = contextOf(this.#of.operation, this.#of.request, worstOf(this.#effects))
      const { charged = 'no', applied } = outcome === 'aborted' ? own : (error as typeof own)
      const attempts = (outcome === 'aborted' ? undefined : (error as typeof own).attempts) ?? this.#attempts
      const requestId = attempts.at(-1)?.requestId
      end({ outcome, charged, applied, attempts, requestId, credits: this.#told, cached: undefined })
      throw error
    }
  }

  #tell<Name extends 'onWait' | 'onAttempt' | 'onCall'>(
    name: Name,
    event: Parameters<NonNullable<Observer[Name]>>[0],
  ): void {
    const { observers, log } = this.#of.settings
    const { operation } = this.call
    // An observer that fails must not fail the call.
    for (const observer of observers)
      runUserCallback(
        () => observer[name]?.({ ...event } as never),
        (error) => log?.('error', `${name} failed`, { operation, reason: messageOf(error) }),
      )
  }
}
