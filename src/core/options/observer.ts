import type { Applied, Attempt, Charged } from '../../errors/index.ts'
import type { CallCredits } from '../../errors/facts.ts'
import type { Log } from '../../lib/logger.ts'
import { messageOf, runUserCallback } from '../../lib/thrown.ts'
import { dateIn } from '../../lib/time.ts'
import type { QueueWait } from '../../limits/interface.ts'
import type { BudgetOutlook } from '../credits/budget.ts'

/** A call, as an observer sees it. */
export interface ObservedStart {
  /** The same in all events of a call. */
  id: number
  /** The operation, such as `microblog.search`. */
  operation: string
  /** The search surface; null for a call without one. */
  surface: string | null
}

/** A call that waits. */
export interface Wait extends ObservedStart {
  /**
   * `slot`: both requests in flight are taken. `pace`: this minute's requests are used up. `rate_limited`: the service
   * answered 429. `retry`: an attempt failed, and the next one must wait.
   */
  reason: 'slot' | 'pace' | 'rate_limited' | 'retry'
  /** When the wait should end; null if unknown. Calls ahead in the queue may delay it. */
  until: Date | null
}

/** An answer that came from the cache, or from an equal call. */
export interface Cached {
  /** When the answer arrived from the service. */
  readonly at: Date
  /** Milliseconds since then. */
  readonly age: number
  /** Credits that you did not pay again. */
  readonly saved: number
}

/** An attempt that ended. Times are milliseconds. */
export interface ObservedAttempt extends ObservedStart, Attempt {
  /** What it cost. */
  credits: { spent: number; uncertain: number }
}

/** A call that ended. Times are milliseconds. */
export interface ObservedCall extends ObservedStart {
  /** `ok`, the code of the error, or `aborted`. */
  outcome: string
  charged: Charged
  /** Of a failed write: whether it changed data. */
  applied: Applied | undefined
  /** The timeline: `queued`, `paced`, `waited`, `status` and more of each attempt. */
  attempts: readonly Attempt[]
  /** Of the whole call. */
  duration: number
  requestId: string | undefined
  credits: { spent: number; uncertain: number }
  /** Set if the answer came from the cache, or from an equal call. */
  cached: Cached | undefined
}

/** A budget of which little is left. */
export interface ObservedBudget extends BudgetOutlook {
  /** `low`: four fifths are spent. `spent`: a call did not fit any more, and was not sent. */
  state: 'low' | 'spent'
  name: string | undefined
}

/** Sees what calls do and cost, never a credential or params. If it throws, the error is logged and the call goes on. */
export interface Observer {
  /**
   * Called when a call has waited for a quarter of a second, and when the reason changes. In Cloudflare Workers, only
   * retries call it.
   */
  onWait?(wait: Wait): void
  /** Called when an attempt ends. */
  onAttempt?(attempt: ObservedAttempt): void
  /** Called when a call ends. */
  onCall?(call: ObservedCall): void
  /** Called twice in each period of a budget: when it is low, and when it is spent. */
  onBudget?(budget: ObservedBudget): void
}

/** Tells the observers of one call what it does. */
export class CallObserver {
  /** What all events have. */
  readonly call: ObservedStart
  readonly #observers: readonly Observer[]
  readonly #log: Log | undefined
  /** Reported waits: their ends by reason. */
  readonly #reported = new Map<Wait['reason'], number>()

  constructor(observers: readonly Observer[], log: Log | undefined, call: ObservedStart) {
    this.#observers = observers
    this.#log = log
    this.call = call
  }

  /** Reports why the call is queued if the reason is new, or if a 429 closes the surface for longer. */
  queued(wait: QueueWait | null): void {
    if (wait === null) return
    const { reason, ms } = wait
    const reportedEnd = this.#reported.get(reason)
    const end = Date.now() + ms
    if (reportedEnd !== undefined && !(reason === 'rate_limited' && end > reportedEnd + 1000)) return
    this.#reported.set(reason, end)
    this.report(reason, ms)
  }

  report(reason: Wait['reason'], ms: number): void {
    const until = dateIn(ms)
    this.#tell('onWait', (observer) => observer.onWait?.({ ...this.call, reason, until }))
  }

  budget(budget: ObservedBudget): void {
    this.#tell('onBudget', (observer) => observer.onBudget?.(budget))
  }

  /** Reports that an attempt has ended, and what it cost. */
  attempt(attempt: Attempt, credits: CallCredits): void {
    this.#tell('onAttempt', (observer) => observer.onAttempt?.({ ...this.call, ...attempt, credits }))
  }

  end(known: Omit<ObservedCall, keyof ObservedStart>): void {
    this.#tell('onCall', (observer) => observer.onCall?.({ ...this.call, ...known }))
  }

  /** Each observer gets an event of its own. One that fails must not fail the call. */
  #tell(name: string, tell: (observer: Observer) => unknown): void {
    const { operation } = this.call
    for (const observer of this.#observers)
      runUserCallback(
        () => tell(observer),
        (error) => this.#log?.('error', `${name} failed`, { operation, reason: messageOf(error) }),
      )
  }
}
