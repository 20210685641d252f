import { type Options, stringify } from 'csv-stringify/browser/esm/sync'
import { type ColumnOptions, cellOf, resolveColumns } from './fields.ts'

/** Writes lines of a CSV file. */
export interface CsvLines {
  readonly header: string
  line(record: unknown): string
}

/** @throws {ConfigurationError} for fields that cannot be columns. */
export function csvLines(options: ColumnOptions): CsvLines {
  const { columns, separator } = resolveColumns(options)
  const format: Options = {
    cast: { boolean: String, string: harmless },
    // Readers skip empty lines.
    quoted_empty: columns.length === 1,
  }
  return {
    header: stringify([columns.map(({ path }) => path)], format),
    line: (record) => stringify([columns.map(({ names }) => cellOf(record, names, separator))], format),
  }
}

/**
 * Puts a `'` where a spreadsheet would read a formula. Depending on its settings, it splits lines at semicolons or tabs
 * instead of commas. Quotes inside such a line do not hold a text together, but the quotes at the start of a part vanish.
 */
function harmless(text: string): string {
  return text
    .replace(/^(?=[=+\-@\uff1d\uff0b\uff0d\uff20\t\r])/, "'")
    .replaceAll(/([;\t\r\n])(?="*[=+\-@\uff1d\uff0b\uff0d\uff20])/g, "$1'")
}

/**
 * Returns a stream that turns posts or other records into a CSV file, as UTF-8 bytes: a header, then one row for
 * each. It puts a `'` in front of what a spreadsheet would run as a formula.
 *
 * @throws {ConfigurationError} for fields that cannot be columns.
 * @example
 * streamOf(client.microblog.search({ query })).pipeThrough(toCsv({ fields: ['id', 'body'] }))
 */
export function toCsv(options: ColumnOptions): TransformStream<unknown, Uint8Array> {
  const lines = csvLines(options)
  const encoder = new TextEncoder()
  return new TransformStream<unknown, Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(lines.header)),
    transform: (record, controller) => controller.enqueue(encoder.encode(lines.line(record))),
  })
}
