/** Credits, by what is known of them. */
export interface CreditSummary {
  /** Known to be spent. */
  spent: number
  /** Of calls that may or may not have been charged. */
  uncertain: number
  /** Set aside for calls under way. */
  reserved: number
}

/** What a client's calls have cost, in credits. */
export interface Credits extends CreditSummary {
  /** The same, for each operation that has cost something or may yet. */
  byOperation: Record<string, CreditSummary>
}

/** Credits set aside for one send. Exactly one of its methods takes effect; further calls change nothing. */
export interface Reservation {
  /** The call cost this much, and perhaps so much more. */
  settle(credits: number, uncertain?: number): void
  /** The call was not charged. */
  release(): void
  /** The call may have been charged. */
  doubt(): void
}

/** Three sums of credits, which may be off by tiny fractions. */
export class Account implements CreditSummary {
  spent = 0
  uncertain = 0
  reserved = 0

  summary(): CreditSummary {
    const { spent, uncertain, reserved } = this
    return { spent: rounded(spent), uncertain: rounded(uncertain), reserved: rounded(reserved) }
  }

  /** Adds to each sum, or takes away. */
  add(reserved: number, spent = 0, uncertain = 0): void {
    this.reserved += reserved
    this.spent += spent
    this.uncertain += uncertain
  }

  reserve(credits: number): Reservation {
    let isOpen = true
    const settle = (cost: number, uncertain = 0): void => {
      if (isOpen) this.add(-credits, cost, uncertain)
      isOpen = false
    }
    this.add(credits)
    return { settle, release: () => settle(0), doubt: () => settle(0, credits) }
  }
}

/** Takes away what sums of fractions are off by, which would add up to a credit too much. */
export function rounded(credits: number): number {
  return Math.round(credits * 1e6) / 1e6
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

  /** The account of an operation, by its id. */
  account(operation: string): Account {
    let account = this.#accounts.get(operation)
    if (account === undefined) this.#accounts.set(operation, (account = new Account()))
    return account
  }
}
