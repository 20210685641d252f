import { type ErrorContext, SocialSearchError, nameClasses } from './base.ts'
import { budgetUnavailable } from './words.ts'

/**
 * A budget is unavailable, or does not know what was spent. Nothing was sent.
 *
 * @example
 * if (error instanceof BudgetUnavailableError && error.temporary) later() // nothing was sent
 */
export class BudgetUnavailableError extends SocialSearchError {
  declare readonly code: 'budget_unavailable'
  /** The error of its store, or what it does not know. */
  declare readonly reason: string
  /** Whether the same call may succeed later, without any change of yours: the store does not answer, or a clock is wrong. */
  declare readonly temporary: boolean

  constructor(reason: string, context?: ErrorContext & { temporary?: boolean }) {
    const { temporary = false } = context ?? {}
    super('budget_unavailable', budgetUnavailable(reason, temporary), context, { reason, temporary })
  }
}

/**
 * A call with `cache: 'only'` found no stored answer. Nothing was sent, and nothing charged.
 *
 * @example
 * if (error instanceof NotCachedError) console.error('record it first:', error.operation)
 */
export class NotCachedError extends SocialSearchError {
  declare readonly code: 'not_cached'

  constructor(message: string, context?: ErrorContext) {
    super('not_cached', message, context)
  }
}

nameClasses({ BudgetUnavailableError, NotCachedError })
