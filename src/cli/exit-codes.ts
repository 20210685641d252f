import {
  ApiError,
  AuthenticationError,
  BudgetUnavailableError,
  ConfigurationError,
  CreditBudgetError,
  InvalidRequestError,
  InvalidResponseError,
  OAuthError,
  PaginationError,
  PermissionDeniedError,
  ReauthorizationRequiredError,
  RedirectError,
  SocialSearchError,
  TokenStoreError,
} from '../errors/index.ts'
import { CommandError, exitCodes } from './command-errors.ts'

/** The exit code of each error class; the first match counts. */
const classes = [
  [exitCodes.usage, [ConfigurationError, InvalidRequestError]],
  [
    exitCodes.credentials,
    [AuthenticationError, PermissionDeniedError, ReauthorizationRequiredError, OAuthError, TokenStoreError],
  ],
  [exitCodes.budget, [CreditBudgetError, BudgetUnavailableError]],
  [exitCodes.refused, [ApiError, RedirectError, InvalidResponseError, PaginationError]],
] as const

/** The exit code of an error; a call that may have been charged, or applied, comes first. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof SocialSearchError && [error.charged, error.applied].includes('unknown'))
    return exitCodes.unknown
  if (error instanceof CommandError) return exitCodes[error.code]
  const found = classes.find(([, kinds]) => kinds.some((kind) => error instanceof kind))
  return found?.[0] ?? exitCodes.failed
}
