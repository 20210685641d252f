import type { Reservation } from './account.ts'
import type { Budget } from './budget.ts'
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
  readonly #worstCase: number | null
  readonly #reserve: () => Promise<Reservation>
  #reservation: Reservation | undefined
  #closed = false

  /** @param worstCase Credits that one success may cost at most; null for what is free whatever comes back. */
  constructor(ledger: Ledger, operation: string, worstCase: number | null, budgets: readonly Budget[]) {
    this.#worstCase = worstCase
    this.#reserve = () => ledger.reserve(operation, worstCase, budgets)
  }

  /**
   * Makes sure that the next send is covered.
   *
   * @throws {CreditBudgetError} if a budget has too little left.
   */
  async cover(): Promise<void> {
    if (this.#reservation !== undefined) return
    const reservation = await this.#reserve()
    // A budget may take its time; nobody may be waiting any more.
    if (this.#closed) reservation.release()
    else this.#reservation = reservation
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
      this.credits.uncertain += this.#worstCase ?? 0
      reservation.doubt()
    })
  }

  /** There will be no further attempt. */
  close(): void {
    this.#closed = true
    this.#end((reservation) => reservation.release())
  }

  #end(how: (reservation: Reservation) => void): void {
    if (this.#reservation !== undefined) how(this.#reservation)
    this.#reservation = undefined
  }
}
