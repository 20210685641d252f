import type { Operation } from '../api/operation.ts'
import type { OperationId } from '../api/operations.ts'
import { csvLines } from '../extensions/export/csv.ts'
import { mainFields } from '../api/main-fields.ts'
import { assertDocumented, fieldsOf, resolveColumns } from '../extensions/export/fields.ts'
import { valueAt } from '../lib/value-at.ts'
import { cardOf, createCards } from './card.ts'
import { UsageError } from './command-errors.ts'
import type { FormatOptions, Formatter } from './formatter.ts'
import { createTable } from './table.ts'

export const formats = ['jsonl', 'json', 'csv', 'table', 'card'] as const
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
      return createTable(tableFields(operation), options)
    case 'card': {
      const card = cardOf(operation.id)
      if (card === undefined || fields !== undefined)
        throw new UsageError('--format card is for searches of posts without --fields; use --format table')
      return createCards(card, options)
    }
    case 'db':
      // It takes records.
      return { page: () => '' }
  }
}

/** The fields that say most, after the id, by which a record can be found again. */
function tableFields(operation: Operation): readonly string[] | undefined {
  if (!operation.documented) return undefined
  const all = columnsOf(operation)
  const main = mainFields[operation.id as OperationId] ?? all
  return [...new Set([...(all.includes('id') ? ['id'] : []), ...main])]
}

/** @throws {ConfigurationError} */
export function fieldsFor(operation: Operation, list: string | undefined): readonly string[] | undefined {
  if (list === undefined) return undefined
  const paths = resolveColumns({ fields: list.split(',') }).columns.map(({ path }) => path)
  assertDocumented(operation, paths)
  return paths
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
