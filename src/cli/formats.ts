import type { Operation } from '../api/operation.ts'
import type { OperationId } from '../api/operations.ts'
import { csvLines } from '../extensions/export/csv.ts'
import { shortNames } from '../api/main-fields.ts'
import { assertDocumented, assertFields, fieldsOf } from '../extensions/export/fields.ts'
import { createCard, picked } from './card.ts'
import { UsageError } from './command-errors.ts'
import type { SharedFlags } from './flags.ts'
import { type FormatOptions, type Formatter, terminalWidth } from './formatter.ts'
import { createTable } from './table.ts'

export const formats = ['jsonl', 'csv', 'table'] as const

/** Makes the formatter that `--format` and `--fields` ask for; by default a table on a terminal, otherwise JSON Lines. */
export function createFormatter(
  operation: Operation,
  { format, fields: list }: Pick<SharedFlags, 'format' | 'fields'>,
): Formatter {
  const width = terminalWidth()
  const fields = list === undefined ? undefined : fieldsIn(list, operation)
  const chosen = (format as (typeof formats)[number] | undefined) ?? (width === undefined ? 'jsonl' : 'table')
  switch (chosen) {
    case 'jsonl': {
      const shown = (record: unknown): unknown => (fields === undefined ? record : picked(record, fields))
      return { page: (records) => records.map((each) => `${JSON.stringify(shown(each))}\n`).join('') }
    }
    case 'csv': {
      const { header, line } = csvLines({ fields: fields ?? columnsOf(operation) })
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
function fieldsIn(list: string, operation: Operation): readonly string[] {
  const paths = list.split(',')
  assertFields(paths)
  assertDocumented(operation, paths)
  return paths
}

function columnsOf({ id, documented }: Operation): string[] {
  if (!documented) throw new UsageError(`the service does not document the fields of ${id}; pass --fields`)
  return fieldsOf(id as OperationId)
}
