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

import { isInstance } from '../lib/thrown.ts'

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

/** An error of the command itself; `code` names its exit code. */
export class CommandError extends Error {
  static {
    this.prototype.name = 'CommandError'
  }
  readonly code: keyof typeof exitCodes

  constructor(code: keyof typeof exitCodes, message: string) {
    super(message)
    this.code = code
  }
}

/** The command line cannot work. Nothing was sent. */
export class UsageError extends CommandError {
  static {
    this.prototype.name = 'UsageError'
  }

  constructor(message: string) {
    super('usage', message)
  }
}

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
  if (!isInstance(error, Error)) return exitCodes.failed
  if (error instanceof SocialSearchError && [error.charged, error.applied].includes('unknown'))
    return exitCodes.unknown
  if (error instanceof CommandError) return exitCodes[error.code]
  const found = classes.find(([, kinds]) => kinds.some((kind) => error instanceof kind))
  return found?.[0] ?? exitCodes.failed
}
