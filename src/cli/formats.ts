import type { Operation } from '../api/operation.ts'
import type { OperationId } from '../api/operations.ts'
import { csvLines } from '../extensions/export/streams.ts'
import { shortNames } from '../api/main-fields.ts'
import { assertDocumented, assertFields, fieldsOf, jsonOf } from '../extensions/export/fields.ts'
import { UsageError } from './command-errors.ts'
import type { SharedFlags } from './flags.ts'
import {
  type FormatOptions,
  type Formatter,
  localTime,
  escapedForTerminal,
  styled,
  longestLine,
  wrap,
} from './terminal.ts'
import { createTable } from './table.ts'
import { labelOf } from './columns.ts'
import { isRecord, shallow, valueAt } from '../lib/json.ts'

export const formats = ['jsonl', 'csv', 'table'] as const

/**
 * Makes the formatter that `--format` and `--fields` ask for; by default a table on a terminal, otherwise JSON Lines.
 *
 * @throws {ConfigurationError} for fields that are not documented, or must be named.
 */
export function createFormatter(
  operation: Operation,
  { format, fields: list }: Pick<SharedFlags, 'format' | 'fields'>,
): Formatter {
  const { isTTY, columns } = process.stdout
  const width = isTTY ? columns || 80 : undefined
  const fields = list?.split(',')
  if (fields !== undefined) {
    assertFields(fields)
    assertDocumented(operation, fields)
  }
  const chosen = (format as (typeof formats)[number] | undefined) ?? (width === undefined ? 'jsonl' : 'table')
  switch (chosen) {
    case 'jsonl': {
      const shown = (record: unknown): unknown => (fields === undefined ? record : picked(record, fields))
      return { page: (records) => records.map((each) => `${jsonOf(shown(each))}\n`).join('') }
    }
    case 'csv': {
      if (fields === undefined && !operation.documented)
        throw new UsageError(
          `the service does not document the fields of ${operation.id}; name them in --fields`,
        )
      const { header, line } = csvLines({ fields: fields ?? fieldsOf(operation.id as OperationId) })
      let head = header
      return {
        page(records) {
          const text = head + records.map(line).join('')
          head = ''
          return text
        },
      }
    }
    case 'table':
      return operation.list === undefined
        ? createCard({ fields, width })
        : tableOf(operation, { fields, width })
  }
}

/** What a table shows of posts, by the short names of the fields. */
const postColumns = ['time', 'author', 'text', 'likes', 'views', 'url']

/** A table of posts has date, author, text and counts; one of other records the documented fields. */
function tableOf(operation: Operation, options: FormatOptions): Formatter {
  const id = operation.id as OperationId
  const documented = operation.documented ? fieldsOf(id) : undefined
  const names = shortNames[id]
  if (names === undefined || options.fields !== undefined) return createTable(documented, options)
  const columns = Object.entries(names)
    .map(([path, name]) => ({ path, title: name === 'time' ? 'date' : name, at: postColumns.indexOf(name) }))
    .filter(({ at }) => at !== -1)
    .sort((a, b) => a.at - b.at)
  const titles = Object.fromEntries(columns.map(({ path, title }) => [path, title]))
  return createTable(Object.keys(titles), options, titles)
}

/** Formats single records as a label and a value on each line, without empty fields. */
export function createCard({ fields, width = 80 }: FormatOptions): Formatter {
  return { isStyled: true, page: (records) => records.map((each) => show(shallow(each))).join('\n') }

  function show(record: unknown): string {
    const rows = Object.entries(fields === undefined ? bodyOf(record) : picked(record, fields))
      .map(
        ([name, value]) =>
          [
            escapedForTerminal(labelOf(name.split('.').at(-1) ?? name)),
            value === false ? 'no' : value === true ? 'yes' : valueText(value),
          ] as const,
      )
      .filter(([, text]) => text !== '')
    const start = 2 + Math.max(0, ...rows.map(([label]) => label.length))
    const lines = rows.map(([label, text]) => {
      // An address stays in one piece, so that it can be opened.
      const room = /^https?:/.test(text) ? Infinity : Math.max(20, Math.min(width, longestLine) - start)
      const value = wrap(escapedForTerminal(text), room)
      return `${styled('dim', label.padEnd(start))}${value.replaceAll('\n', `\n${' '.repeat(start)}`)}\n`
    })
    return lines.join('')
  }
}

/** The only object in an answer, such as its `company`, or else the answer. */
function bodyOf(record: unknown): object {
  const fields = Object.entries(Object(record) as object).filter(([name]) => name !== 'requestId')
  const body = Object.fromEntries(fields) as Record<string, unknown>
  const [only, ...others] = Object.values(body)
  return others.length === 0 && isRecord(only) ? only : body
}

/** The fields of a record that a user names, by their paths. */
function picked(record: unknown, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, valueAt(record, field.split('.')) ?? null]))
}

/** Texts in an object say enough without their names, unlike numbers; what is true or false is left out. */
function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).filter(Boolean).join('; ')
  if (isRecord(value)) {
    const parts = Object.entries(value).map(([name, part]) => {
      const text = valueText(part)
      return text !== '' && (typeof part === 'number' || isRecord(part)) ? `${name} ${text}` : text
    })
    return parts.filter(Boolean).join(', ')
  }
  return typeof value === 'string' || typeof value === 'number' ? (localTime(value) ?? String(value)) : ''
}
