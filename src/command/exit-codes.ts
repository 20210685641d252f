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
} from '../errors.ts'
import { ContractDrift, CredentialsMissing, Interrupted, UsageError } from './command-errors.ts'

/** What the exit code of the command says. */
export const exitCodes = {
  done: 0,
  /** A file, the network or the machine failed, and nothing was charged. */
  failed: 1,
  usage: 2,
  credentials: 3,
  refused: 4,
  budget: 5,
  unknown: 6,
  interrupted: 130,
} as const

/** Classes that share an exit code; the first that fits counts. */
const classes = [
  [exitCodes.interrupted, [Interrupted]],
  [exitCodes.usage, [UsageError, ConfigurationError, InvalidRequestError]],
  [
    exitCodes.credentials,
    [
      CredentialsMissing,
      AuthenticationError,
      PermissionDeniedError,
      ReauthorizationRequiredError,
      OAuthError,
      TokenStoreError,
    ],
  ],
  [exitCodes.budget, [CreditBudgetError, BudgetUnavailableError]],
  [exitCodes.refused, [ContractDrift, ApiError, RedirectError, InvalidResponseError, PaginationError]],
] as const

/** The exit code of an error; a call that may have been charged comes first. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof SocialSearchError && error.charged === 'unknown') return exitCodes.unknown
  const found = classes.find(([, kinds]) => kinds.some((kind) => error instanceof kind))
  return found?.[0] ?? exitCodes.failed
}
