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

/** Whether a caught value is an error of this package; narrows its type. */
export function isSocialSearchError(value: unknown): value is AnySocialSearchError {
  return value instanceof SocialSearchError
}
