import type { Operation } from '../contract/operation.ts'
import type { OperationId } from '../contract/operations.ts'
import { csvLines } from '../export/csv.ts'
import { cellOf, fieldsOf, valueAt } from '../export/fields.ts'
import { UsageError } from './command-errors.ts'

export const formats = ['jsonl', 'json', 'csv', 'table'] as const
export type Format = (typeof formats)[number]

/** Turns records into text, page by page. */
export interface Formatter {
  /** Comes first. */
  readonly head: string
  page(records: readonly unknown[]): string
  /** Comes last, if every page was written. */
  readonly tail: string
}

interface FormatOptions {
  readonly fields: readonly string[] | undefined
  /** Of the terminal; undefined if there is none. */
  readonly width: number | undefined
  readonly bold: boolean
}

export function createFormatter(format: Format, operation: Operation, options: FormatOptions): Formatter {
  const { fields, width } = options
  const isTerminal = width !== undefined
  const text = (record: unknown, indent?: number): string => {
    const json = JSON.stringify(fields === undefined ? record : picked(record, fields), null, indent)
    // Codes that some terminals obey; JSON escapes the others.
    return isTerminal
      ? json.replaceAll(/[\u007f-\u009f]/g, (code) => `\\u00${code.charCodeAt(0).toString(16)}`)
      : json
  }
  switch (format) {
    case 'jsonl':
      return { head: '', page: (records) => records.map((record) => `${text(record)}\n`).join(''), tail: '' }
    case 'json':
      return operation.list === undefined
        ? { head: '', page: (records) => records.map((record) => `${text(record, 2)}\n`).join(''), tail: '' }
        : jsonList(text)
    case 'csv': {
      const lines = csvLines({ fields: fields ?? columnsOf(operation) })
      return {
        head: lines.header,
        page: (records) => records.map((record) => lines.line(record)).join(''),
        tail: '',
      }
    }
    case 'table':
      return table(operation, options)
  }
}

function picked(record: unknown, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, valueAt(record, field.split('.')) ?? null]))
}

function columnsOf({ id, documented }: Operation): string[] {
  if (!documented) throw new UsageError(`the service does not document the fields of ${id}; pass --fields`)
  return fieldsOf(id as OperationId).map(({ path }) => path)
}

function jsonList(text: (record: unknown) => string): Formatter {
  let separator = '\n  '
  const page = (records: readonly unknown[]): string =>
    records
      .map((record) => {
        const item = separator + text(record)
        separator = ',\n  '
        return item
      })
      .join('')
  return { head: '[', page, tail: '\n]\n' }
}

/** Most columns of a table whose fields nobody has named. */
const mostColumns = 6

function table(operation: Operation, { fields, width = 120, bold }: FormatOptions): Formatter {
  let columns = fields ?? (operation.documented ? columnsOf(operation).slice(0, mostColumns) : undefined)
  let widths: number[] | undefined
  return {
    head: '',
    tail: '',
    page(records) {
      if (records.length === 0 && widths === undefined) return 'nothing found\n'
      columns ??= Object.keys(Object(records[0]) as object).slice(0, mostColumns)
      const names = columns
      const rows = records.map((record) => names.map((name) => plain(cellOf(record, name.split('.'), ', '))))
      const isFirst = widths === undefined
      const fitted = (widths ??= fit([names, ...rows], width))
      const line = (cells: readonly string[]): string =>
        cells
          .map((cell, index) => pad(cell, fitted[index] ?? 0))
          .join('  ')
          .trimEnd()
      const head = bold ? `\u001b[1m${line(names)}\u001b[22m` : line(names)
      return [...(isFirst ? [head] : []), ...rows.map(line)].map((text) => `${text}\n`).join('')
    },
  }
}

/** One line of text, of which nothing steers the terminal. */
function plain(value: string | number | boolean | null): string {
  return String(value ?? '').replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
}

function pad(cell: string, width: number): string {
  const letters = Array.from(cell)
  const shown = letters.length > width ? `${letters.slice(0, Math.max(0, width - 1)).join('')}…` : cell
  return shown + ' '.repeat(Math.max(0, width - letters.length))
}

/** Widths of columns that together fit: the widest give way. */
function fit(rows: readonly (readonly string[])[], width: number): number[] {
  const count = rows[0]?.length ?? 0
  const widths = Array.from({ length: count }, (_, index) =>
    Math.max(...rows.map((row) => Array.from(row[index] ?? '').length)),
  )
  const room = Math.max(4 * count, width - 2 * (count - 1))
  for (let over = widths.reduce((sum, each) => sum + each, 0) - room; over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths))
    widths[widest] = (widths[widest] ?? 1) - 1
  }
  return widths
}
