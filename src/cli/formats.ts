import type { Operation } from '../api/operation.ts'
import type { OperationId } from '../api/operations.ts'
import { csvLines } from '../extensions/export/csv.ts'
import { shortNames } from '../api/main-fields.ts'
import { assertDocumented, fieldsOf, resolveColumns } from '../extensions/export/fields.ts'
import { createCard, picked } from './card.ts'
import { UsageError } from './command-errors.ts'
import type { FormatOptions, Formatter } from './formatter.ts'
import { createTable } from './table.ts'

export const formats = ['jsonl', 'json', 'csv', 'table'] as const
export type Format = (typeof formats)[number]

export function createFormatter(
  format: Format | 'db',
  operation: Operation,
  options: FormatOptions,
): Formatter {
  const { fields } = options
  const text = (record: unknown, indent?: number): string =>
    JSON.stringify(fields === undefined ? record : picked(record, fields), null, indent)
  switch (format) {
    case 'jsonl':
      return { page: (records) => records.map((record) => `${text(record)}\n`).join('') }
    case 'json':
      if (operation.list !== undefined) return jsonList(text)
      return { page: (records) => records.map((record) => `${text(record, 2)}\n`).join('') }
    case 'csv': {
      const { header, line } = csvLines({ fields: fields ?? columnsOf(operation), bom: options.bom })
      return { head: header, page: (records) => records.map(line).join('') }
    }
    case 'table':
      return operation.list === undefined ? createCard(options) : tableOf(operation, options)
    case 'db':
      // It takes records.
      return { page: () => '' }
  }
}

/** What a table shows of posts, by the short names of the fields. */
const postColumns = ['time', 'author', 'text', 'likes', 'views', 'id', 'url']

/** A table of posts has date, author, text and counts; one of other records the documented fields. */
export function tableOf(operation: Operation, options: FormatOptions): Formatter {
  const names = shortNames[operation.id as OperationId]
  if (names === undefined || options.fields !== undefined)
    return createTable(operation.documented ? columnsOf(operation) : undefined, options)
  const id = columnsOf(operation).filter((path) => path === 'id')
  const columns = [...Object.entries(names), ...id.map((path) => [path, path] as const)]
    .map(([path, name]) => ({ path, title: name === 'time' ? 'date' : name, at: postColumns.indexOf(name) }))
    .filter(({ at }) => at !== -1)
    .sort((a, b) => a.at - b.at)
  const titles = Object.fromEntries(columns.map(({ path, title }) => [path, title]))
  return createTable(Object.keys(titles), options, titles)
}

/** @throws {ConfigurationError} */
export function fieldsFor(operation: Operation, list: string | undefined): readonly string[] | undefined {
  if (list === undefined) return undefined
  const paths = resolveColumns({ fields: list.split(',') }).map(({ path }) => path)
  assertDocumented(operation, paths)
  return paths
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
