import type { Attempt } from '../../errors/index.ts'
import { messageOf, runUserCallback } from '../../lib/thrown.ts'
import { dateIn } from '../../lib/time.ts'
import type { QueueWait } from '../../limits/interface.ts'
import type { CallCredits } from '../../errors/facts.ts'
import type { CallSettings } from '../options/table.ts'
import type { ObservedBudget, ObservedCall, ObservedStart, Observer, Wait } from '../options/types.ts'

/** Tells the observers of one call what it does. */
export class CallObserver {
  /** What all events have. */
  readonly call: ObservedStart
  readonly #settings: CallSettings
  /** Reported waits: their ends by reason. */
  readonly #reported = new Map<Wait['reason'], number>()

  constructor(settings: CallSettings, call: ObservedStart) {
    this.#settings = settings
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
    const { observers, log } = this.#settings
    const { operation } = this.call
    for (const observer of observers)
      runUserCallback(
        () => tell(observer),
        (error) => log?.('error', `${name} failed`, { operation, reason: messageOf(error) }),
      )
  }
}
