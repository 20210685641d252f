import { type ErrorContext, SharedError, SocialSearchError } from './base.ts'

/**
 * A budget is unavailable, or does not know what was spent. Nothing was sent.
 *
 * @example
 * if (error instanceof BudgetUnavailableError && error.temporary) retryLater() // nothing was sent
 */
export class BudgetUnavailableError extends SharedError {
  static override readonly name: string = 'BudgetUnavailableError'
  declare readonly code: 'budget_unavailable'
  /** The error of its store, or what it does not know. */
  readonly reason: string
  /** Whether the same call may succeed later, without any change of yours: the store does not answer, or a clock is wrong. */
  readonly temporary: boolean

  constructor(reason: string, context?: ErrorContext & { temporary?: boolean }) {
    const { temporary = false } = context ?? {}
    const text = `the budget is unavailable${temporary ? ' for now' : ''}: ${reason}`
    super('budget_unavailable', text, [reason], context)
    this.reason = reason
    this.temporary = temporary
  }

  override of(context: ErrorContext): this {
    const { temporary } = this
    return super.of({ ...context, temporary } as ErrorContext)
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
