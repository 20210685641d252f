import { assertOptions, requireOption } from '../../errors/check-options.ts'
import { assertFields, cellOf, jsonOf } from './fields.ts'

/**
 * Turns a search into a web stream, which fetches a page only when its reader asks for one. `pipeThrough()` and `pipeTo()` ask for one
 * item ahead: they buy the first page at once, and the next with the last item of a page. To pay for no page ahead, read it with `for await`.
 *
 * @throws {ConfigurationError} for what is not an async iterable.
 * @example
 * streamOf(client.microblog.search({ query })).pipeThrough(toJsonl())
 */
export function streamOf<Item>(call: AsyncIterable<Item>): ReadableStream<Item> {
  const iterate: unknown = (call as typeof call | null | undefined)?.[Symbol.asyncIterator]
  requireOption(call, typeof iterate === 'function', 'streamOf() needs a search or an async iterable')
  const left = new AbortController()
  // A search hears that its reader has left: a page that waits in the queue is not sent any more.
  const items = (iterate as (callerLeft: AbortSignal) => AsyncIterator<Item>).call(call, left.signal)
  return new ReadableStream<Item>(
    {
      async pull(controller) {
        const next = await items.next()
        if (next.done === true) controller.close()
        else controller.enqueue(next.value)
      },
      async cancel() {
        left.abort()
        await items.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

type Cell = ReturnType<typeof cellOf>

/** Options of {@link toCsv}. */
export interface CsvOptions {
  /** The columns in their order, as paths: `engagements.viewsCount`. */
  fields: readonly string[]
  /** Start with a byte order mark, so that Excel reads UTF-8. Default false. */
  bom?: boolean | undefined
}

/** Returns the header of a CSV file, and what writes its lines. */
export function csvLines({ fields, bom = false }: CsvOptions) {
  // Readers skip empty lines.
  const empty = fields.length === 1 ? '""' : ''
  const line = (cells: readonly Cell[]): string => `${cells.map((cell) => quoted(cell) || empty).join(',')}\n`
  return {
    header: (bom ? '\ufeff' : '') + line(fields),
    line: (record: unknown) => line(fields.map((path) => cellOf(record, path))),
  }
}

/** A cell as RFC 4180 has it. */
function quoted(cell: Cell): string {
  const text = typeof cell === 'string' ? harmless(cell) : String(cell ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
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
 * A stream that turns records into CSV, as UTF-8 bytes. It puts a `'` in front of what a spreadsheet would run as a formula.
 *
 * @throws {ConfigurationError} for fields that cannot be columns.
 * @example
 * streamOf(client.microblog.search({ query })).pipeThrough(toCsv({ fields: ['id', 'body'] }))
 */
export function toCsv(options: CsvOptions): TransformStream<unknown, Uint8Array> {
  assertOptions(options, { fields: true, bom: true })
  const { fields, bom = false } = options
  requireOption(bom, typeof bom === 'boolean', 'bom must be true or false')
  assertFields(fields)
  const lines = csvLines({ fields, bom })
  const encoder = new TextEncoder()
  return new TransformStream<unknown, Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(lines.header)),
    transform: (record, controller) => controller.enqueue(encoder.encode(lines.line(record))),
  })
}

/**
 * A stream that turns records into JSON Lines, as UTF-8 bytes: one record a line, with all fields. What nests more than 500 levels deep
 * is `"…"`.
 *
 * The stream fails with a `ConfigurationError` for a record that is not JSON.
 *
 * @example
 * streamOf(client.microblog.search({ query })).pipeThrough(toJsonl())
 */
export function toJsonl(): TransformStream<unknown, Uint8Array> {
  const encoder = new TextEncoder()
  return new TransformStream<unknown, Uint8Array>({
    transform: (record, controller) => controller.enqueue(encoder.encode(`${jsonOf(record)}\n`)),
  })
}
