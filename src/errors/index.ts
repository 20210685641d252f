import type { ApiError } from './api.ts'
import { SocialSearchError } from './base.ts'
import type * as client from './client.ts'
import type * as oauth from './oauth.ts'
import type * as stores from './stores.ts'

export * from './api.ts'
export * from './base.ts'
export * from './client.ts'
export type * from './facts.ts'
export * from './oauth.ts'
export * from './stores.ts'

/** Any error of this package. Switch on `code` to narrow it. */
export type AnySocialSearchError =
  | client.ConfigurationError
  | client.InvalidRequestError
  | ApiError
  | client.ConnectionError
  | client.TimeoutError
  | client.RedirectError
  | client.InvalidResponseError
  | client.CreditBudgetError
  | stores.BudgetUnavailableError
  | client.PaginationError
  | client.ClosedError
  | oauth.ReauthorizationRequiredError
  | oauth.OAuthError
  | oauth.TokenStoreError
  | stores.NotCachedError

/**
 * Narrows a caught value to an error of this package. `isSocialSearchError<MicroblogPost>(error)` also types
 * `error.items` of `toArray()`.
 *
 * @example
 * try {
 *   await client.microblog.search({ query })
 * } catch (error) {
 *   if (!isSocialSearchError(error)) throw error
 *   console.error(error.code, error.charged, error.requestId)
 * }
 */
export function isSocialSearchError(value: unknown): value is AnySocialSearchError
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- only the caller knows the items
export function isSocialSearchError<Item>(
  value: unknown,
): value is { readonly items?: readonly Item[] } & AnySocialSearchError
export function isSocialSearchError(value: unknown): value is AnySocialSearchError {
  return value instanceof SocialSearchError
}

/** The outcome of a failure: the code of an error of this package, or `aborted`. */
export function codeOf(error: unknown): string {
  return isSocialSearchError(error) ? error.code : 'aborted'
}

/** Whether a call that failed was not charged, and has changed nothing. */
export function hadNoEffect({ charged, applied }: SocialSearchError): boolean {
  return charged === 'no' && applied !== 'unknown'
}
