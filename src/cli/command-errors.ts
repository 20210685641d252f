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

/** The name of the exit code of each error class; the first match counts. */
const classes = [
  ['usage', [ConfigurationError, InvalidRequestError]],
  [
    'credentials',
    [AuthenticationError, PermissionDeniedError, ReauthorizationRequiredError, OAuthError, TokenStoreError],
  ],
  ['budget', [CreditBudgetError, BudgetUnavailableError]],
  ['refused', [ApiError, RedirectError, InvalidResponseError, PaginationError]],
] as const

/** The name of an error's exit code; a call that may have been charged, or applied, comes first. */
export function exitNameOf(error: unknown): keyof typeof exitCodes {
  if (!(error instanceof Error)) return 'failed'
  if (error instanceof SocialSearchError && [error.charged, error.applied].includes('unknown'))
    return 'unknown'
  if (error instanceof CommandError) return error.code
  const found = classes.find(([, kinds]) => kinds.some((kind) => error instanceof kind))
  return found?.[0] ?? 'failed'
}

export function exitCodeOf(error: unknown): number {
  return exitCodes[exitNameOf(error)]
}
