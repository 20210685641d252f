import { SocialSearchError } from '../errors/index.ts'
import { kindOf } from '../errors/kinds.ts'
import { type ExitName, exitCodes } from './exit-codes.ts'

/** An error of the command itself; `code` names its exit code. */
export class CommandError extends Error {
  readonly code: ExitName

  constructor(code: ExitName, message: string) {
    super(message)
    this.code = code
  }
}

/** The command line cannot work. Nothing was sent. */
export class UsageError extends CommandError {
  constructor(message: string) {
    super('usage', message)
  }
}

/** The name of an error's exit code; a call that may have been charged, or applied, comes first. */
export function exitNameOf(error: unknown): ExitName {
  if (error instanceof CommandError) return error.code
  if (!(error instanceof SocialSearchError)) return 'failed'
  return [error.charged, error.applied].includes('unknown') ? 'unknown' : kindOf(error)
}

export function exitCodeOf(error: unknown): number {
  return exitCodes[exitNameOf(error)]
}
