import type { Operation } from '../../contract/operation.ts'
import type { Budget } from './budget.ts'
import type { Ledger, Reservation } from './ledger.ts'

/** What one call has cost, all its attempts taken together, in credits. */
export interface CallCredits {
  spent: number
  /** Of attempts that may or may not have been charged. */
  uncertain: number
}

/** The credits of one call: they are set aside from before the first send until the outcome is known. */
export class Purchase implements CallCredits {
  spent = 0
  uncertain = 0
  readonly #ledger: Ledger
  readonly #operation: Operation
  readonly #worstCase: number | null
  readonly #budgets: readonly Budget[]
  /** One for each budget while the next send is covered. */
  #reservations: readonly Reservation[] | undefined
  #isClosed = false

  /** @param worstCase Credits that one success may cost at most; null for what is free whatever comes back. */
  constructor(ledger: Ledger, operation: Operation, worstCase: number | null, budgets: readonly Budget[]) {
    this.#ledger = ledger
    this.#operation = operation
    this.#worstCase = worstCase
    this.#budgets = budgets
  }

  /**
   * Makes sure that the next send is covered; undefined if it is at once.
   *
   * @throws {CreditBudgetError} as a rejection, if a budget has too little left.
   */
  cover(): Promise<void> | undefined {
    if (this.#worstCase === null || this.#reservations !== undefined) return undefined
    if (this.#budgets.length > 0) return this.#askBudgets(this.#worstCase)
    this.#reserve(none)
    return undefined
  }

  /** An attempt was charged so many credits, and perhaps so many more. */
  settle(cost: number, uncertain = 0): void {
    this.#end(cost, uncertain)?.forEach((reservation) => reservation.settle(cost, uncertain))
  }

  /** An attempt may have been charged. */
  doubt(): void {
    this.#end(0, this.#worstCase ?? 0)?.forEach((reservation) => reservation.doubt())
  }

  /** There will be no further attempt. */
  close(): void {
    this.#isClosed = true
    if (this.#reservations !== undefined) this.#end(0, 0)?.forEach((reservation) => reservation.release())
  }

  /** Sets the credits aside in each budget and in the ledger, or nowhere. */
  async #askBudgets(credits: number): Promise<void> {
    const reservations: Reservation[] = []
    try {
      for (const budget of this.#budgets) reservations.push(await budget.reserve(credits, this.#operation.id))
    } catch (error) {
      reservations.forEach((reservation) => reservation.release())
      throw error
    }
    this.#reserve(reservations)
    // A budget may take its time; the call may have ended meanwhile.
    if (this.#isClosed) this.close()
  }

  #reserve(reservations: readonly Reservation[]): void {
    this.#reservations = reservations
    this.#ledger.account(this.#operation.id).add(this.#worstCase ?? 0)
  }

  /** Moves the credits in the ledger; returns the reservations that have to follow, if the send was covered. */
  #end(cost: number, uncertain: number): readonly Reservation[] | undefined {
    const reservations = this.#reservations
    if (reservations === undefined) return undefined
    this.#reservations = undefined
    this.spent += cost
    this.uncertain += uncertain
    this.#ledger.account(this.#operation.id).add(-(this.#worstCase ?? 0), cost, uncertain)
    return reservations
  }
}

const none: readonly Reservation[] = []
