import type { exitCodes } from './exit-codes.ts'

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
