import { SocialSearchError } from '../errors/index.ts'
import { kindOf } from '../errors/kinds.ts'

/** What the command ends with. */
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

export type ExitName = keyof typeof exitCodes

const texts: Readonly<Record<ExitName, string>> = {
  done: 'done',
  failed: 'file, network or local error',
  usage: 'wrong usage',
  credentials: 'key, scopes or permissions',
  refused: 'the service refused, or sent invalid data',
  budget: 'stopped by a budget, or posts are missing',
  unknown: 'you may have been charged, or a change applied',
  interrupted: 'interrupted, or not confirmed',
}

/** For the help: a line for each code. */
export function exitCodeLines(): string {
  const names = Object.keys(exitCodes) as ExitName[]
  return `\nExit codes:${names.map((name) => `\n  ${String(exitCodes[name]).padEnd(3)}  ${texts[name]}`).join('')}`
}

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
