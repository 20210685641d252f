import { deferred } from '../../lib/deferred.ts'
import {
  type BudgetReport,
  type BudgetState,
  type BudgetTerms,
  type Spent,
  changeBudget,
} from './budget-state.ts'
import { type SharedOptions, SharedText } from './shared-text.ts'
import { randomId } from './store.ts'

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

/** What a call asks, and how it gets the reply. */
interface Asked {
  /** Credits to reserve; null for a summary. */
  readonly credits: number | null
  readonly settle: (reply: BudgetReply) => void
  readonly fail: (error: unknown) => void
}

/** Keeps the state of a budget and the reservations of this process in step. */
export class BudgetSync extends SharedText {
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

  protected onAvailability(error?: unknown): void {
    if (error !== undefined) for (const { fail } of this.#asked.splice(0)) fail(error)
  }

  protected async update(): Promise<void> {
    const asked = [...this.#asked]
    const told = this.#numbered()
    const report = this.#reportOf(told, asked)
    this.#isUnsure ||= asked.some(({ credits }) => credits !== null)
    const { state, granted } = await this.change((text, moment) =>
      changeBudget(text, moment, this.#seen, report, this.#terms, randomId()),
    )
    this.#seen = state
    this.#isUnsure = false
    this.#asked.splice(0, asked.length)
    for (const reservation of told) this.#open.delete(reservation)
    asked.forEach((each, i) => {
      const { credits } = each
      const reservation = granted[i] === true && credits !== null ? { credits, period: state.period } : null
      if (reservation !== null) this.#open.add(reservation)
      // What was reserved for calls that have ended meanwhile may come back.
      if (granted[i] === false && !state.isLost && this.ended.length > 0) this.#askAgain(each)
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

  #reportOf(told: readonly OpenReservation[], asked: readonly Asked[]): BudgetReport {
    return {
      process: this.id,
      number: this.#report,
      outcomes: told.flatMap(({ outcome }) => outcome ?? []),
      reserved: (period) => {
        const others = [...this.#open].filter((each) => !told.includes(each) && each.period === period)
        return others.reduce((sum, { credits }) => sum + credits, 0)
      },
      asks: asked.map(({ credits }) => credits),
    }
  }
}
