import type { Redactor } from './redactor.ts'
import { runUserCallback } from './thrown.ts'

/** Fields of a log line; never headers, bodies or credentials. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Receives log lines; `console` fits. A missing method turns its level off. */
export interface Logger {
  debug?(message: string, fields: LogFields): void
  info?(message: string, fields: LogFields): void
  warn?(message: string, fields: LogFields): void
  error?(message: string, fields: LogFields): void
  /** Only loggers of a library have one. */
  level?: undefined
}

/**
 * A logger of a library. With `child()` and without `log()`, as in pino, bunyan and Fastify, it gets the fields before the message; with
 * `log()`, as in winston, after it.
 */
export type LeveledLogger = { level: string | number | object } & (
  | (Omit<Logger, 'level'> & { log: (...args: never) => unknown })
  // If the types of its methods were here, TypeScript would infer no parameters for the methods of an inline `Logger`.
  | { child: (...args: never) => unknown; log?: undefined }
)

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export type Log = (level: LogLevel, message: string, fields: LogFields) => void

/** Writes each warning as one line to stderr, which is the console in a browser: none of a failure that an error tells of. */
export const defaultLogger: Logger = {
  warn: (message, fields) => {
    if (fields['attempt'] !== undefined && fields['waitMs'] === undefined) return
    const told = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)
    const details = told.map(([name, value]) => `${name}: ${String(value)}`).join(', ')
    console.warn(`social-search-sdk: ${message}${details && ` (${details})`}`)
  },
}

/** Redacts and writes log lines; undefined if there are none. A failing logger must not fail a call. */
export function createLog(logger: Logger | LeveledLogger | false, redactor: Redactor): Log | undefined {
  if (logger === false) return undefined
  return (level, message, fields) =>
    runUserCallback(() => {
      const methods = logger as { [Level in LogLevel]?: (...line: unknown[]) => unknown }
      if (!methods[level]) return undefined
      const line = [redactor.text(message), redactor.data({ ...fields })]
      return methods[level](...(takesFieldsFirst(logger) ? line.reverse() : line))
    })
}

/** Only a library's logger without `log()` drops the fields after a message. */
function takesFieldsFirst(logger: object): boolean {
  const { level, child, log } = logger as Readonly<Record<string, unknown>>
  return level !== undefined && typeof child === 'function' && typeof log !== 'function'
}
