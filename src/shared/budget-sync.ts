import { deferred } from '../lib/deferred.ts'
import {
  type BudgetReport,
  type BudgetState,
  type BudgetTerms,
  type Spent,
  changeBudget,
} from './budget-state.ts'
import type { SharedText } from './shared-text.ts'
import { randomId } from './store.ts'
import { UpdateLoop } from './update-loop.ts'

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

interface Ask {
  /** Credits to reserve; null for a summary. */
  readonly credits: number | null
  readonly settle: (reply: BudgetReply) => void
  readonly fail: (error: unknown) => void
}

/** Keeps the state of a budget and the reservations of this process in step. */
export class BudgetSync extends UpdateLoop {
  readonly #text: SharedText
  readonly #terms: BudgetTerms
  readonly #open = new Set<OpenReservation>()
  #seen: BudgetState | undefined
  #asks: Ask[] = []
  /** The asks of the update that runs. */
  #pending: Ask[] = []
  /** The number of the latest report. */
  #report = 0
  #isClosed = false
  #isStopped = false
  #told = deferred()

  constructor(text: SharedText, terms: BudgetTerms) {
    super(text.log)
    this.#text = text
    this.#terms = terms
  }

  /**
   * Reserves credits; null reads the state. Rejects with the error of the store.
   */
  ask(credits: number | null): Promise<BudgetReply> {
    return new Promise((settle, fail) => {
      this.#asks.push({ credits, settle, fail })
      this.touchNow()
    })
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

  /** Resolves when the store knows the outcome of each reservation that has ended so far. */
  async flush(): Promise<void> {
    const { ended } = this
    while (ended.some((reservation) => this.#open.has(reservation))) await this.#told.promise
  }

  /** Renews no reservation any more. */
  close(): void {
    this.#isClosed = true
  }

  /** Tries no more to reach the store. */
  stop(): void {
    this.#isStopped = true
    this.schedule()
  }

  protected async update(): Promise<void> {
    const asks = this.#asks
    this.#pending = asks
    this.#asks = []
    const told = this.#numbered()
    const report = this.#reportOf(told, asks)
    const { state, granted } = await this.#text.update((text, { clock, bounds }) => {
      const seen = { state: this.#seen, bounds }
      const changed = changeBudget(text, clock, seen, report, this.#terms, randomId())
      return { value: JSON.stringify(changed.state), state: changed.state, result: changed }
    })
    this.#seen = state
    for (const reservation of told) this.#open.delete(reservation)
    asks.forEach((ask, i) => {
      const { credits } = ask
      const reservation = granted[i] === true && credits !== null ? { credits, period: state.period } : null
      if (reservation !== null) this.#open.add(reservation)
      // What was reserved for calls that have ended meanwhile may come back.
      if (granted[i] === false && !state.isLost && this.ended.length > 0) this.#asks.push(ask)
      else ask.settle([state, reservation])
    })
    if (this.ended.length > 0 || this.#asks.length > 0) this.touchNow()
    const { resolve } = this.#told
    this.#told = deferred()
    resolve()
  }

  protected onAvailability(error?: unknown): void {
    if (!this.isUnavailable) return
    for (const { fail } of [...this.#pending, ...this.#asks]) fail(error)
    this.#asks = []
  }

  protected get isRetried(): boolean {
    return !this.#isStopped && this.#open.size > 0
  }

  protected renewMs(): number {
    const isDone = this.#open.size === 0 || this.#isClosed || this.#isStopped
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

  #reportOf(told: readonly OpenReservation[], asks: readonly Ask[]): BudgetReport {
    return {
      process: this.#text.id,
      number: this.#report,
      outcomes: told.flatMap(({ outcome }) => outcome ?? []),
      reserved: (period) => {
        const others = [...this.#open].filter((each) => !told.includes(each) && each.period === period)
        return others.reduce((sum, { credits }) => sum + credits, 0)
      },
      asks: asks.map(({ credits }) => credits),
    }
  }
}
