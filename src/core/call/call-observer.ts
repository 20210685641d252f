import type { Applied, Attempt, Charged, ErrorContext } from '../../errors/index.ts'
import { isSocialSearchError } from '../../errors/index.ts'
import { type LogLevel, type LogFields, logTo } from '../../lib/logger.ts'
import { runAside, textOf } from '../../lib/thrown.ts'
import { dateIn } from '../../lib/time.ts'
import type { QueueWait } from '../../limits/interface.ts'
import type { CallCredits } from '../credits/ledger.ts'
import type { AnyObserver } from '../options/settings.ts'
import type { Cached, ObservedCall, Observer, Wait } from '../options/types.ts'

/** Seconds in the queue after which the log warns. */
const longQueueSeconds = 30

let calls = 0

/** The `outcome` of a failure: the code of an error of this package, or `aborted`. */
export function codeOf(error: unknown): string {
  try {
    return isSocialSearchError(error) ? error.code : 'aborted'
  } catch {
    // User code may have thrown an object that only looks like our error.
    return 'aborted'
  }
}

/** Tells the observers of one call what it does. */
export class CallObserver {
  /** What all events have. */
  readonly call: Readonly<{ id: number } & Pick<Wait, 'operation' | 'surface'>>
  readonly #observers: readonly AnyObserver[]
  /** As JSON text. */
  readonly #params: string | undefined
  #told: CallCredits = { spent: 0, uncertain: 0 }
  /** Reported waits: their ends by reason. */
  readonly #reported = new Map<Wait['reason'], number>()
  #isWarned = false

  constructor(
    observers: readonly AnyObserver[],
    { id, surface }: { id: string; surface: string | null },
    params: string | undefined,
  ) {
    this.#observers = observers
    this.call = { id: ++calls, operation: id, surface }
    this.#params = params
  }

  /** Reports why the call is queued if the reason is new, or if a 429 closes the surface for longer. */
  check(wait: QueueWait | null, queuedMs: number): void {
    const seconds = Math.floor(queuedMs / 1000)
    if (seconds >= longQueueSeconds && !this.#isWarned) {
      this.#isWarned = true
      this.#log('warn', 'still queued', { surface: this.call.surface, seconds })
    }
    if (wait === null) return
    const { reason, ms } = wait
    const reportedEnd = this.#reported.get(reason)
    const end = Date.now() + ms
    if (reportedEnd !== undefined && !(reason === 'rate_limited' && end > reportedEnd + 1000)) return
    this.#reported.set(reason, end)
    const until = dateIn(ms)?.toISOString() ?? null
    this.#log('info', 'waiting', { surface: this.call.surface, reason, until })
    this.report(reason, ms)
  }

  /** Reports that the call waits `ms` milliseconds. */
  report(reason: Wait['reason'], ms: number): void {
    this.#tell('onWait', { ...this.call, reason, until: dateIn(ms) })
  }

  /**
   * Reports that an attempt has ended, and its credits.
   *
   * @param credits Of the call so far.
   */
  attempt(attempt: Attempt, { spent, uncertain }: CallCredits): void {
    const credits = { spent: spent - this.#told.spent, uncertain: uncertain - this.#told.uncertain }
    this.#told = { spent, uncertain }
    this.#tell('onAttempt', { ...this.call, ...attempt, credits })
  }

  /** Makes a call, within those observers that wrap it, and reports its end. */
  async observe<T extends { requestId: string | undefined; cached?: Cached }>(
    work: () => Promise<T>,
    run: { context(): ErrorContext; readonly credits: CallCredits },
  ): Promise<T> {
    const start = performance.now()
    let answer: T | undefined
    const end = (outcome: string, charged?: Charged, applied?: Applied): ObservedCall => {
      const { attempts = [] } = run.context()
      const { requestId = attempts.at(-1)?.requestId, cached } = answer ?? {}
      const duration = performance.now() - start
      const { credits } = run
      const known = { outcome, charged: charged ?? attempts.at(-1)?.charged ?? 'no', applied }
      const event = { ...this.call, ...known, attempts, duration, requestId, credits, cached }
      this.#tell('onCall', event)
      return event
    }
    let traced = (): Promise<ObservedCall> =>
      work().then(
        (value) => {
          answer = value
          return end('ok')
        },
        (error: unknown) => {
          const { charged, applied } = run.context()
          end(codeOf(error), charged, applied)
          throw error
        },
      )
    for (const { trace } of this.#observers) {
      const inner = traced
      if (trace) traced = () => trace(this.call, inner)
    }
    await traced()
    return answer as T
  }

  /** An event, with the params if the observer asks for them. */
  #for<Event extends object>({ params }: Observer, event: Event): Event {
    return params ? { ...event, params: JSON.parse(this.#params as string) as object } : event
  }

  /** An observer that fails must not fail the call. */
  #tell<Name extends 'onWait' | 'onAttempt' | 'onCall'>(
    name: Name,
    event: Parameters<NonNullable<Observer[Name]>>[0],
  ): void {
    for (const observer of this.#observers)
      runAside(
        () => observer[name]?.(this.#for(observer, event) as never),
        (error) => this.#log('error', `${name} failed`, { reason: textOf(error) }),
      )
  }

  #log(level: LogLevel, message: string, fields: LogFields): void {
    logTo(this.#observers, level, message, { operation: this.call.operation, ...fields })
  }
}
