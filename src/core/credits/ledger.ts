import { Account, type CreditSummary, type Reservation } from './account.ts'
import type { Budget } from './budget.ts'

/** What a client's calls have cost, in credits. */
export interface Credits extends CreditSummary {
  /** The same, for each operation that has cost something or may yet. */
  byOperation: Record<string, CreditSummary>
}

/** Keeps account of the credits of one client. */
export class Ledger {
  readonly #accounts = new Map<string, Account>()

  /** What the calls so far have cost; a copy. */
  credits(): Credits {
    const credits: Credits = { spent: 0, uncertain: 0, reserved: 0, byOperation: {} }
    for (const [operation, account] of this.#accounts) {
      const summary = account.summary()
      credits.byOperation[operation] = summary
      credits.spent += summary.spent
      credits.uncertain += summary.uncertain
      credits.reserved += summary.reserved
    }
    return credits
  }

  /**
   * Sets aside what a send may cost at most, here and in each budget.
   *
   * @param operation Its id.
   * @param credits Null for what is free whatever comes back.
   *
   * @throws {CreditBudgetError} if a budget has too little left; then nothing is set aside anywhere.
   */
  async reserve(operation: string, credits: number | null, budgets: readonly Budget[]): Promise<Reservation> {
    if (credits === null) return unmetered
    const reservations: Reservation[] = []
    try {
      for (const budget of budgets) reservations.push(await budget.reserve(credits, operation))
    } catch (error) {
      for (const reservation of reservations) reservation.release()
      throw error
    }
    reservations.push(this.#account(operation).reserve(credits))
    return {
      settle: (cost, uncertain) => reservations.forEach((reservation) => reservation.settle(cost, uncertain)),
      release: () => reservations.forEach((reservation) => reservation.release()),
      doubt: () => reservations.forEach((reservation) => reservation.doubt()),
    }
  }

  #account(operation: string): Account {
    const account = this.#accounts.get(operation) ?? new Account()
    this.#accounts.set(operation, account)
    return account
  }
}

const unmetered: Reservation = { settle: () => {}, release: () => {}, doubt: () => {} }
