import { type ErrorContext, SharedError, SocialSearchError } from './base.ts'

/**
 * A shared budget is unavailable, or has lost data. Nothing was sent.
 *
 * @example
 * if (error instanceof BudgetUnavailableError) later() // nothing was sent
 */
export class BudgetUnavailableError extends SharedError {
  static override readonly name: string = 'BudgetUnavailableError'
  declare readonly code: 'budget_unavailable'
  /** The error of its store. */
  readonly reason: string

  constructor(reason: string, context?: ErrorContext) {
    super('budget_unavailable', `the budget is unavailable: ${reason}`, [reason], context)
    this.reason = reason
  }
}

/**
 * A call with `cache: 'only'` found no stored answer. Nothing was sent, and nothing charged.
 *
 * @example
 * if (error instanceof NotCachedError) console.error('record it first:', error.operation)
 */
export class NotCachedError extends SocialSearchError {
  static override readonly name: string = 'NotCachedError'
  declare readonly code: 'not_cached'

  constructor(message: string, context?: ErrorContext) {
    super('not_cached', message, context)
  }
}
