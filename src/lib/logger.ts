import type { Redactor } from './redact.ts'
import { runUserCallback } from './thrown.ts'

/** Fields of a log line; never headers, bodies or credentials. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Receives log lines, such as `console`, pino or winston. A missing method turns its level off. */
export interface Logger {
  debug?(message: string, fields: LogFields): void
  info?(message: string, fields: LogFields): void
  warn?(message: string, fields: LogFields): void
  error?(message: string, fields: LogFields): void
}

export type LogLevel = keyof Logger

export type Log = (level: LogLevel, message: string, fields: LogFields) => void

/** Writes each warning as one line to stderr, which is the console in a browser. */
export const defaultLogger: Logger = {
  warn: (message, fields) => {
    const told = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)
    const details = told.map(([name, value]) => `${name}: ${String(value)}`).join(', ')
    console.warn(`social-search-sdk: ${message}${details && ` (${details})`}`)
  },
}

/** Redacts and writes log lines; undefined if there are none. A failing logger must not fail a call. */
export function createLog(logger: Logger | false, redactor: Redactor): Log | undefined {
  if (logger === false) return undefined
  return (level, message, fields) =>
    runUserCallback(() => {
      const line = [redactor.text(message), redactor.data({ ...fields })] as const
      if (takesFieldsFirst(logger)) logger[level]?.(line[1], line[0])
      else logger[level]?.(...line)
    })
}

/** A logger of pino's kind, which would drop the fields after a message. */
type FieldsFirst = { [Level in LogLevel]?: (fields: LogFields, message: string) => unknown }

/** Whether a logger is of pino's kind: bunyan and Fastify's are. Winston has `level` and `child()` as well, but also `log()`. */
function takesFieldsFirst(logger: object): logger is FieldsFirst {
  const { level, child, log } = logger as Readonly<Record<string, unknown>>
  return level !== undefined && typeof child === 'function' && typeof log !== 'function'
}
