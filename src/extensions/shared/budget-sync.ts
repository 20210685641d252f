import { sleep } from '../../lib/time.ts'
import {
  type BudgetReport,
  type BudgetState,
  type BudgetTerms,
  type Spent,
  changeBudget,
} from './budget-state.ts'
import { type SharedOptions, SharedText, retryMs } from './shared-text.ts'
import { randomId } from '../../lib/random-id.ts'

/** A reservation without an outcome. */
export interface OpenReservation {
  readonly credits: number
  readonly period: string
}

/** The state after an ask, and the reservation; null if it was refused. */
export type BudgetReply = readonly [state: BudgetState, reservation: OpenReservation | null]

/** What a call asks, and how it gets the reply. */
interface Asked {
  /** Credits to reserve; null for a summary. */
  readonly credits: number | null
  readonly settle: (reply: BudgetReply) => void
  readonly fail: (error: unknown) => void
}

/** Keeps the state of a budget and the reservations of this process in step. */
export class BudgetSync extends SharedText<BudgetState> {
  /** Then it renews no reservation any more. */
  isClosed = false
  readonly #terms: BudgetTerms
  readonly #open = new Set<OpenReservation>()
  /** Outcomes that the store may not know yet. */
  readonly #outcomes: Spent[] = []
  /** How many others it knows. */
  #told = 0
  /** Whether the store may have reserved credits for calls that were refused, since its reply is missing. */
  #isUnsure = false
  #isStopped = false
  /** What the next update asks, and, if it runs, what it has asked. */
  #asked: Asked[] = []

  constructor(options: SharedOptions, name: string, terms: BudgetTerms) {
    // The number changes with the text.
    super(options, 'budget-1', name)
    this.#terms = terms
  }

  /** Asks for credits with the next update, or with null for the state. Rejects with the error of the store. */
  ask(credits: number | null): Promise<BudgetReply> {
    return new Promise((settle, fail) => this.#askAgain({ credits, settle, fail }))
  }

  #askAgain(asked: Asked): void {
    this.#asked.push(asked)
    this.touchNow()
  }

  /** Ends a reservation. Further calls have no effect. */
  end(reservation: OpenReservation, spent: number, uncertain: number): void {
    if (!this.#open.delete(reservation)) return
    this.#outcomes.push({ period: reservation.period, spent, uncertain })
    this.touchNow()
  }

  /** How many reservations have ended whose outcome the store may not know yet. */
  get untold(): number {
    return this.#outcomes.length
  }

  /** Whether the store knows all that has happened. */
  get #isTold(): boolean {
    return !this.#isUnsure && this.untold === 0
  }

  /**
   * Resolves when the store knows the outcome of each reservation that has ended so far, and of each call refused. When it is
   * stopped, it rejects if the store fails once more.
   */
  async flush(): Promise<void> {
    if (this.#isTold && this.#asked.length === 0) return
    // An update that begins now tells all of it.
    await this.ask(null).catch(async (error: unknown) => {
      if (this.#isStopped) throw error
      // So that close() tries twice.
      await sleep(Math.min(retryMs, this.timeoutMs / 2))
      return this.flush()
    })
  }

  /** Tries no more to reach the store. */
  stop(): void {
    this.#isStopped = true
    this.schedule()
  }

  protected onFailure(error: unknown): void {
    for (const { fail } of this.#asked.splice(0)) fail(error)
  }

  protected async update(): Promise<void> {
    const asked = [...this.#asked]
    const report = this.#report(asked)
    this.#isUnsure ||= asked.some(({ credits }) => credits !== null)
    const { state, granted } = await this.change((text, moment) =>
      changeBudget(text, moment, this.copy, report, this.#terms, randomId()),
    )
    this.#isUnsure = false
    this.#asked.splice(0, asked.length)
    this.#told += this.#outcomes.splice(0, report.outcomes.length).length
    asked.forEach((each, i) => {
      const { credits } = each
      const reservation = granted[i] === true && credits !== null ? { credits, period: state.period } : null
      if (reservation !== null) this.#open.add(reservation)
      // What was reserved for calls that have ended meanwhile may come back.
      if (granted[i] === false && !state.isLost && this.untold > 0) this.#askAgain(each)
      else each.settle([state, reservation])
    })
  }

  protected get isRetried(): boolean {
    return !this.#isStopped && (!this.#isTold || this.#open.size > 0)
  }

  /** Credits of refused calls are freed while it lives, but an unavailable store must not keep it alive. */
  protected override get mayEnd(): boolean {
    return this.untold === 0
  }

  protected renewMs(): number {
    return this.#open.size === 0 || this.isClosed ? Infinity : this.#terms.leaseMs / 3
  }

  #report(asked: readonly Asked[]): BudgetReport {
    const open = [...this.#open]
    return {
      ...{ process: this.id, told: this.#told, outcomes: [...this.#outcomes] },
      reserved: (period) =>
        open.filter((each) => each.period === period).reduce((sum, { credits }) => sum + credits, 0),
      asks: asked.map(({ credits }) => credits ?? 0),
    }
  }
}
