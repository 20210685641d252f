import { type CreditSummary, rounded, roundedSummary } from './budget.ts'

/** What a client's calls have cost, in credits. */
export interface Credits extends CreditSummary {
  /** Credits that the cache has saved. */
  saved: number
  /** The same for each operation, by id. */
  byOperation: Record<string, CreditSummary>
}

/** The credits of one operation, not rounded yet. */
export class Account implements CreditSummary {
  spent = 0
  uncertain = 0
  reserved = 0

  reserve(credits: number): void {
    this.reserved += credits
  }

  /** Replaces what was reserved for a request by what it has cost. */
  settle(reserved: number, spent: number, uncertain: number): void {
    this.reserved -= reserved
    this.spent += spent
    this.uncertain += uncertain
  }
}

export class Ledger {
  readonly #accounts = new Map<string, Account>()

  /** @param saved By a cache. */
  credits(saved = 0): Credits {
    const total = { spent: 0, uncertain: 0, reserved: 0 }
    const byOperation: Credits['byOperation'] = {}
    for (const [operation, account] of this.#accounts) {
      const summary = (byOperation[operation] = roundedSummary(account))
      for (const name of ['spent', 'uncertain', 'reserved'] as const) total[name] += summary[name]
    }
    return { ...roundedSummary(total), saved: rounded(saved), byOperation }
  }

  account(operation: string): Account {
    const account = this.#accounts.get(operation) ?? new Account()
    this.#accounts.set(operation, account)
    return account
  }
}
