import { ConfigurationError, CreditBudgetError } from '../../errors.ts'
import { shown } from '../lib/assert.ts'
import { type CreditSummary, type Reservation, rounded, roundedSummary } from './credit-summary.ts'

/** Covers what calls may cost. A call reserves before it is sent, and says afterwards what it has cost. */
export interface Budget {
  /** Sets credits aside, or refuses by throwing or rejecting: with a {@link CreditBudgetError} if too few remain. */
  reserve(credits: number, operation: string): Reservation | Promise<Reservation>
}

/**
 * A ceiling on credits that several calls, walks or clients may share. A call that could exceed it is refused
 * before anything is sent, however many run at once. Credits whose fate is unknown count as spent.
 *
 * @example
 * const budget = new CreditBudget(100)
 * await client.microblog.search({ query }, { budget })
 * console.log(budget.remaining) // 98
 */
export class CreditBudget implements Budget {
  /** Credits that may be spent in all. */
  readonly limit: number
  readonly #account: CreditSummary = { spent: 0, uncertain: 0, reserved: 0 }

  /**
   * A ceiling on credits, to be shared.
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

  /** Credits of calls that may or may not have been charged. */
  get uncertain(): number {
    return rounded(this.#account.uncertain)
  }

  /** Credits set aside for calls under way. */
  get reserved(): number {
    return rounded(this.#account.reserved)
  }

  /** Credits that further calls may cost. */
  get remaining(): number {
    return Math.max(0, rounded(this.limit - this.spent - this.uncertain - this.reserved))
  }

  /**
   * Sets credits aside.
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
