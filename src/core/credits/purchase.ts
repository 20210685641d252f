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
export class Purchase implements CallCredits {
  spent = 0
  uncertain = 0
  readonly #ledger: Ledger
  readonly #operation: string
  readonly #worstCase: number | null
  readonly #budgets: readonly Budget[]
  /** One for each budget, and one in the ledger; empty between two sends. */
  #reservations: readonly Reservation[] = none
  #closed = false

  /** @param worstCase Credits that one success may cost at most; null for what is free whatever comes back. */
  constructor(ledger: Ledger, operation: string, worstCase: number | null, budgets: readonly Budget[]) {
    this.#ledger = ledger
    this.#operation = operation
    this.#worstCase = worstCase
    this.#budgets = budgets
  }

  /** A copy. */
  get credits(): CallCredits {
    return { spent: this.spent, uncertain: this.uncertain }
  }

  /**
   * Makes sure that the next send is covered; undefined if it is at once.
   *
   * @throws {CreditBudgetError} as a rejection, if a budget has too little left.
   */
  cover(): Promise<void> | undefined {
    if (this.#worstCase === null || this.#reservations.length > 0) return undefined
    if (this.#budgets.length > 0) return this.#askBudgets(this.#worstCase)
    this.#reservations = [this.#ledger.account(this.#operation).reserve(this.#worstCase)]
    return undefined
  }

  /** An attempt was charged so many credits, and perhaps so many more. */
  settle(cost: number, uncertain = 0): void {
    if (this.#reservations.length === 0) return
    this.spent += cost
    this.uncertain += uncertain
    this.#end((reservation) => reservation.settle(cost, uncertain))
  }

  /** An attempt may have been charged. */
  doubt(): void {
    if (this.#reservations.length === 0) return
    this.uncertain += this.#worstCase ?? 0
    this.#end((reservation) => reservation.doubt())
  }

  /** There will be no further attempt. */
  close(): void {
    this.#closed = true
    if (this.#reservations.length > 0) this.#end((reservation) => reservation.release())
  }

  /** Sets the credits aside in each budget and in the ledger, or nowhere. */
  async #askBudgets(credits: number): Promise<void> {
    const reservations: Reservation[] = []
    try {
      for (const budget of this.#budgets) reservations.push(await budget.reserve(credits, this.#operation))
    } catch (error) {
      reservations.forEach((reservation) => reservation.release())
      throw error
    }
    reservations.push(this.#ledger.account(this.#operation).reserve(credits))
    this.#reservations = reservations
    // A budget may take its time; the call may have ended meanwhile.
    if (this.#closed) this.close()
  }

  #end(how: (reservation: Reservation) => void): void {
    const reservations = this.#reservations
    this.#reservations = none
    reservations.forEach(how)
  }
}

const none: readonly Reservation[] = []
