import { deferred } from '../../lib/deferred.ts'
import {
  type BudgetReport,
  type BudgetState,
  type BudgetTerms,
  type Spent,
  changeBudget,
} from './budget-state.ts'
import type { SharedText } from './shared-text.ts'
import { randomId } from './store.ts'
import { type Asked, UpdateLoop } from './update-loop.ts'

/** A reservation until the store knows its outcome. */
export interface OpenReservation {
  readonly credits: number
  readonly period: string
  outcome?: Spent
  /** The report that tells the outcome. */
  report?: number
}

/** The state after an ask, and the reservation; null if it was refused. */
export type BudgetReply = readonly [state: BudgetState, reservation: OpenReservation | null]

/** Credits to reserve; null for a summary. */
type Ask = number | null

/** Keeps the state of a budget and the reservations of this process in step. */
export class BudgetSync extends UpdateLoop<Ask, BudgetReply> {
  /** Then it renews no reservation any more. */
  isClosed = false
  readonly #terms: BudgetTerms
  readonly #open = new Set<OpenReservation>()
  #seen: BudgetState | undefined
  /** The number of the latest report. */
  #report = 0
  /** Whether the store may have reserved credits for calls that were refused, since its reply is missing. */
  #isUnsure = false
  #isStopped = false
  #told = deferred()

  constructor(text: SharedText, terms: BudgetTerms) {
    super(text)
    this.#terms = terms
  }

  /** Ends a reservation. Further calls have no effect. */
  end(reservation: OpenReservation, spent: number, uncertain: number): void {
    if (reservation.outcome !== undefined) return
    reservation.outcome = { period: reservation.period, spent, uncertain }
    this.touchNow()
  }

  /** Reservations that have ended, and whose outcome the store does not know yet. */
  get ended(): OpenReservation[] {
    return [...this.#open].filter(({ outcome }) => outcome !== undefined)
  }

  /** Whether the store knows all that has happened. */
  get isTold(): boolean {
    return !this.#isUnsure && this.ended.length === 0
  }

  /** Resolves when the store knows the outcome of each reservation that has ended so far, and of each call refused. */
  async flush(): Promise<void> {
    const { ended } = this
    if (!this.isTold) this.touchNow()
    while (this.#isUnsure || ended.some((reservation) => this.#open.has(reservation)))
      await this.#told.promise
  }

  /** Tries no more to reach the store. */
  stop(): void {
    this.#isStopped = true
    this.schedule()
  }

  protected async update(asked: readonly Asked<Ask, BudgetReply>[]): Promise<void> {
    const told = this.#numbered()
    const report = this.#reportOf(told, asked)
    this.#isUnsure ||= asked.some(({ ask }) => ask !== null)
    const { state, granted } = await this.text.update((text, moment) => {
      const changed = changeBudget(text, moment, this.#seen, report, this.#terms, randomId())
      return { ...changed, result: changed }
    })
    this.#seen = state
    this.#isUnsure = false
    for (const reservation of told) this.#open.delete(reservation)
    asked.forEach((each, i) => {
      const { ask: credits } = each
      const reservation = granted[i] === true && credits !== null ? { credits, period: state.period } : null
      if (reservation !== null) this.#open.add(reservation)
      // What was reserved for calls that have ended meanwhile may come back.
      if (granted[i] === false && !state.isLost && this.ended.length > 0) this.askAgain(each)
      else each.settle([state, reservation])
    })
    if (this.ended.length > 0) this.touchNow()
    const { resolve } = this.#told
    this.#told = deferred()
    resolve()
  }

  protected get isRetried(): boolean {
    return !this.#isStopped && (this.#isUnsure || this.#open.size > 0)
  }

  protected renewMs(): number {
    const isDone = this.#open.size === 0 || this.isClosed || this.#isStopped
    return isDone ? Infinity : this.#terms.leaseMs / 3
  }

  /** The ended reservations to tell. A report that may have arrived is sent again as it was. */
  #numbered(): OpenReservation[] {
    const { ended } = this
    const repeated = ended.filter(({ report }) => report !== undefined)
    if (repeated.length > 0 || ended.length === 0) return repeated
    this.#report++
    for (const reservation of ended) reservation.report = this.#report
    return ended
  }

  #reportOf(told: readonly OpenReservation[], asked: readonly Asked<Ask, BudgetReply>[]): BudgetReport {
    return {
      process: this.text.id,
      number: this.#report,
      outcomes: told.flatMap(({ outcome }) => outcome ?? []),
      reserved: (period) => {
        const others = [...this.#open].filter((each) => !told.includes(each) && each.period === period)
        return others.reduce((sum, { credits }) => sum + credits, 0)
      },
      asks: asked.map(({ ask }) => ask),
    }
  }
}
