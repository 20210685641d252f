import type { ApiError } from './errors/api.ts'
import { SocialSearchError } from './errors/base.ts'
import type {
  BudgetUnavailableError,
  ClosedError,
  ConfigurationError,
  ConnectionError,
  CreditBudgetError,
  InvalidRequestError,
  InvalidResponseError,
  PaginationError,
  QueueFullError,
  RedirectError,
  TimeoutError,
} from './errors/client.ts'
import type { OAuthError, ReauthorizationRequiredError, TokenStoreError } from './errors/oauth.ts'

export * from './errors/api.ts'
export * from './errors/base.ts'
export * from './errors/client.ts'
export * from './errors/oauth.ts'

/** Every error of this package; `code` distinguishes them. */
export type AnySocialSearchError =
  | ConfigurationError
  | InvalidRequestError
  | ApiError
  | ConnectionError
  | TimeoutError
  | RedirectError
  | InvalidResponseError
  | CreditBudgetError
  | BudgetUnavailableError
  | PaginationError
  | QueueFullError
  | ClosedError
  | ReauthorizationRequiredError
  | OAuthError
  | TokenStoreError

/**
 * Tells whether a caught value is an error of this package, and types it for narrowing.
 *
 * @example
 * try {
 *   await client.microblog.search({ query })
 * } catch (error) {
 *   if (!isSocialSearchError(error)) throw error
 *   console.error(error.code, error.charged, error.requestId)
 * }
 */
export function isSocialSearchError(value: unknown): value is AnySocialSearchError {
  return value instanceof SocialSearchError
}
