import type { Redactor } from './redact.ts'

/** Fields of a log line; never headers, bodies or credentials. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Receives log lines. `console` and most logging libraries fit. A missing method turns its level off. */
export interface Logger {
  debug?(message: string, fields: LogFields): void
  info?(message: string, fields: LogFields): void
  warn?(message: string, fields: LogFields): void
  error?(message: string, fields: LogFields): void
}

export type LogLevel = keyof Logger

export type Log = (level: LogLevel, message: string, fields: LogFields) => void

/** Redacts and writes log lines. A failing logger must not fail a call. */
export function createLog(logger: Logger | undefined, redactor: Redactor): Log {
  return (level, message, fields) => {
    try {
      // A logger may return a promise, whose rejection must be handled.
      Promise.resolve(logger?.[level]?.(redactor.text(message), redactor.data({ ...fields }))).catch(() => {})
    } catch {
      // There is nowhere else to report that the user's logger failed.
    }
  }
}
