import { Account, type CreditSummary } from './account.ts'

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
      credits.byOperation[operation] = account.summary()
      credits.spent += account.spent
      credits.uncertain += account.uncertain
      credits.reserved += account.reserved
    }
    return credits
  }

  /** The account of an operation, by its id. */
  account(operation: string): Account {
    const account = this.#accounts.get(operation) ?? new Account()
    this.#accounts.set(operation, account)
    return account
  }
}
