import { parseTime } from '../lib/time.ts'
import { escapedForTerminal } from './terminal.ts'

/** Turns records into text, page by page. */
export interface Formatter {
  page(records: readonly unknown[]): string
  /** Whether the text is ready for a terminal: it has styles, and the rest is escaped. */
  readonly isStyled?: boolean
}

export interface FormatOptions {
  readonly fields: readonly string[] | undefined
  /** Columns of the terminal; undefined without a terminal. */
  readonly width: number | undefined
}

/** `2026-09-22 07:01` in the time zone of this machine, for a time in a record; undefined for anything else. */
export function localTime(value: unknown): string | undefined {
  if (typeof value !== 'string' || value[10] !== 'T') return undefined
  const date = new Date(parseTime(value))
  if (Number.isNaN(date.getTime())) return undefined
  // Swedish writes times in the order of ISO 8601.
  return date.toLocaleString('sv', { dateStyle: 'short', timeStyle: 'short' })
}

/** A text in one line. For a terminal, it is escaped, so that it can be measured. */
export function oneLine(text: string, { width }: FormatOptions): string {
  const line = text.replaceAll(/[\t-\r\u2028\u2029]+/g, ' ')
  return width === undefined ? line : escapedForTerminal(line)
}
