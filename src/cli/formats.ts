import type { Operation } from '../api/operation.ts'
import type { OperationId } from '../api/operations.ts'
import { csvLines } from '../extensions/export/csv.ts'
import { shortNames } from '../api/main-fields.ts'
import { assertDocumented, assertFields, fieldsOf } from '../extensions/export/fields.ts'
import { jsonOf } from '../extensions/export/record-json.ts'
import { createCard, picked } from './card.ts'
import { UsageError } from './command-errors.ts'
import type { SharedFlags } from './flags.ts'
import { type FormatOptions, type Formatter } from './formatter.ts'
import { createTable } from './table.ts'

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
