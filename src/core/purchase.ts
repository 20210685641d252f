import type { Reservation } from './account.ts'
import type { CreditBudget } from './budget.ts'
import type { Ledger } from './ledger.ts'

/** What one call has cost, all its attempts taken together, in credits. */
export interface CallCredits {
  spent: number
  /** Of attempts that may or may not have been charged. */
  uncertain: number
}

/** The credits of one call: a reservation stands from before the first send until the outcome is known. */
export class Purchase {
  readonly credits: CallCredits = { spent: 0, uncertain: 0 }
  readonly #worstCase: number
  readonly #reserve: () => Reservation
  #reservation: Reservation | undefined

  /** @param worstCase Credits that one success may cost at most. */
  constructor(ledger: Ledger, operation: string, worstCase: number, budgets: readonly CreditBudget[]) {
    this.#worstCase = worstCase
    this.#reserve = () => ledger.reserve(operation, worstCase, budgets)
  }

  /**
   * Makes sure that the next send is covered.
   *
   * @throws {CreditBudgetError} if a budget has too little left.
   */
  cover(): void {
    this.#reservation ??= this.#reserve()
  }

  /** An attempt was charged so many credits, and perhaps so many more. */
  settle(cost: number, uncertain = 0): void {
    this.#end((reservation) => {
      this.credits.spent += cost
      this.credits.uncertain += uncertain
      reservation.settle(cost, uncertain)
    })
  }

  /** An attempt may have been charged. */
  doubt(): void {
    this.#end((reservation) => {
      this.credits.uncertain += this.#worstCase
      reservation.doubt()
    })
  }

  /** There will be no further attempt. */
  close(): void {
    this.#end((reservation) => reservation.release())
  }

  #end(how: (reservation: Reservation) => void): void {
    if (this.#reservation !== undefined) how(this.#reservation)
    this.#reservation = undefined
  }
}
