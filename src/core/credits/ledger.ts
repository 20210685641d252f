import { type CreditSummary, rounded, roundedSummary } from './budget.ts'

/** What a client's calls have cost, in credits. */
export interface Credits extends CreditSummary {
  /** Credits that the cache has saved. */
  saved: number
  /** The same for each operation, by id. */
  byOperation: Record<string, CreditSummary>
}

export class Ledger {
  /** Not rounded yet. */
  readonly #accounts = new Map<string, CreditSummary>()

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

  account(operation: string): CreditSummary {
    const account = this.#accounts.get(operation) ?? { spent: 0, uncertain: 0, reserved: 0 }
    this.#accounts.set(operation, account)
    return account
  }
}
