import { type ErrorContext, SocialSearchError } from './base.ts'

/**
 * A call with `cache: 'only'` found no stored answer. Nothing was sent, and nothing charged.
 *
 * @example
 * if (error instanceof NotCachedError) console.error('record it first:', error.operation)
 */
export class NotCachedError extends SocialSearchError {
  static {
    this.prototype.name = 'NotCachedError'
  }
  declare readonly code: 'not_cached'

  constructor(message: string, context?: ErrorContext) {
    super('not_cached', message, context)
  }
}
