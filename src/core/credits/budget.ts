import { ConfigurationError, CreditBudgetError } from '../../errors/index.ts'
import { shown } from '../../errors/assert.ts'

/** Credits of a client, an operation or a budget. */
export interface CreditSummary {
  /** Known to be spent. */
  spent: number
  /** Of calls that may have been charged. */
  uncertain: number
  /** Reserved for open calls. */
  reserved: number
}

/** Credits reserved for one request. Only the first call of a method takes effect. The client logs what a method throws. */
export interface Reservation {
  /** The request cost `credits`, and perhaps `uncertain` more. */
  settle(credits: number, uncertain?: number): void
  /** The request was not charged. */
  release(): void
  /** The request may have been charged. */
  doubt(): void
}

/** A limit on credits. A call reserves its highest possible cost before it is sent, and settles afterwards. */
export interface Budget {
  /** Reserves credits. Throws or rejects to refuse: with a {@link CreditBudgetError} if too few remain. */
  reserve(credits: number, operation: string): Reservation | Promise<Reservation>
}

/**
 * A limit on credits that calls, walks and clients can share. A call that could exceed it is rejected before it is
 * sent, also if many run at once. Credits that may have been charged count as spent.
 *
 * @example
 * const budget = new CreditBudget(100)
 * await client.microblog.search({ query }, { budget })
 * console.log(budget.remaining) // 98
 */
export class CreditBudget implements Budget {
  /** Credits that may be spent in total. */
  readonly limit: number
  readonly #account: CreditSummary = { spent: 0, uncertain: 0, reserved: 0 }

  /**
   * A limit on credits, to share.
   *
   * @param limit Credits, a number of at least 0.
   */
  constructor(limit: number) {
    if (!Number.isFinite(limit) || limit < 0) {
      throw new ConfigurationError(`a credit budget must be a number of at least 0, got ${shown(limit)}`)
    }
    this.limit = limit
  }

  /** Credits known to be spent. */
  get spent(): number {
    return rounded(this.#account.spent)
  }

  /** Credits of calls that may have been charged. */
  get uncertain(): number {
    return rounded(this.#account.uncertain)
  }

  /** Credits reserved for open calls. */
  get reserved(): number {
    return rounded(this.#account.reserved)
  }

  /** Credits left for further calls. */
  get remaining(): number {
    return Math.max(0, rounded(this.limit - this.spent - this.uncertain - this.reserved))
  }

  /**
   * Reserves credits.
   *
   * @throws {CreditBudgetError} if fewer remain.
   */
  reserve(credits: number, operation: string): Reservation {
    if (credits > this.remaining) {
      throw new CreditBudgetError({ needed: credits, remaining: this.remaining }, { operation })
    }
    const account = this.#account
    let isOpen = true
    const settle = (cost: number, uncertain = 0): void => {
      if (!isOpen) return
      isOpen = false
      account.reserved -= credits
      account.spent += cost
      account.uncertain += uncertain
    }
    account.reserved += credits
    return { settle, release: () => settle(0), doubt: () => settle(0, credits) }
  }

  toJSON(): CreditSummary & { limit: number; remaining: number } {
    return { limit: this.limit, remaining: this.remaining, ...roundedSummary(this.#account) }
  }
}

/** Rounds away floating-point errors, which would add up. */
export function rounded(credits: number): number {
  return Math.round(credits * 1e6) / 1e6
}

export function roundedSummary({ spent, uncertain, reserved }: CreditSummary): CreditSummary {
  return { spent: rounded(spent), uncertain: rounded(uncertain), reserved: rounded(reserved) }
}
