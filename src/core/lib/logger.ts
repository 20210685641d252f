import type { Redactor } from './redact.ts'

/** What a log line is about; never holds headers, bodies or credentials. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Where log lines go. `console` fits, and so do most logging libraries; a level that is absent is not logged. */
export interface Logger {
  debug?(message: string, fields: LogFields): void
  info?(message: string, fields: LogFields): void
  warn?(message: string, fields: LogFields): void
  error?(message: string, fields: LogFields): void
}

export type LogLevel = keyof Logger

/** Writes one log line. */
export type Log = (level: LogLevel, message: string, fields: LogFields) => void

/** A logger that redacts secrets and whose failures stay its own: a call must not fail because its log line did. */
export function createLog(logger: Logger | undefined, redactor: Redactor): Log {
  return (level, message, fields) => {
    try {
      // A logger may return a promise, whose rejection would otherwise be nobody's.
      Promise.resolve(logger?.[level]?.(redactor.text(message), redactor.data({ ...fields }))).catch(() => {})
    } catch {
      // The logger is the caller's; there is nowhere left to report that it fails.
    }
  }
}
