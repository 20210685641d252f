import { extname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { toCsv, toJsonl } from '../extensions/export/index.ts'
import { count } from '../lib/count.ts'
import { UsageError } from './command-errors.ts'
import type { FileLock } from '../lib/node/file-lock.ts'
import { inTransaction } from '../lib/sqlite-file.ts'
import { lockForRun, openDatabase, whenFree, withPath } from './database/open-database.ts'
import { allTables, quoted, tableIsMissing } from './database/tables.ts'
import { InterruptHandler } from './interrupt-handler.ts'
import { say } from './terminal.ts'
import { writeWhole } from './whole-file.ts'

interface ExportFlags {
  readonly table?: string
  readonly new?: boolean
  readonly overwrite?: boolean
}

/** A table with records, or a view with a row for each query that has found one, and when. */
interface Source {
  readonly name: string
  readonly isView: boolean
}

/** Columns that are not fields of a record, nor tell where it comes from. */
const ownColumns = ['number', 'key', 'counted_at', 'record', 'rowid']

/** How far an export is. */
interface Position {
  /** The number of the last row. */
  last: number
  rows: number
}

/** Makes a file of the records in a database. */
export async function exportRecords(from: string, to: string, flags: ExportFlags): Promise<void> {
  const database = openDatabase(from, 'export')
  if (database === undefined) throw new UsageError(`${from} does not exist`)
  const interrupt = new InterruptHandler()
  let lock: FileLock | undefined
  try {
    const source = sourceOf(database, from, flags)
    const { name } = source
    const isNew = flags.new === true
    // Two exports at once would have the same rows.
    if (isNew) lock = lockForRun(from, [`.export.${name}`])
    const origin = originOf(database, source)
    const columns = columnsOf(database, name)
    const writer = await writerFor(to, name, origin === '' ? columns : [...new Set(['query', ...columns])])
    const position = { last: isNew ? lastExported(database, name) : 0, rows: 0 }
    const bytes = recordsOf(database, source, isNew, origin, position).pipeThrough(writer)
    const options = { mayReplace: flags.overwrite === true, signal: interrupt.signal }
    await writeWhole(to, bytes, options, async (place) => {
      if (!isNew) {
        place()
        return
      }
      let isPlaced = false
      // If a crash comes between the two, rows come twice, but none is lost.
      const settle = (): void =>
        inTransaction(database, () => {
          keepExported(database, name, position.last)
          if (!isPlaced) place()
          isPlaced = true
        })
      await whenFree(from, settle, { onWait: () => say(`${from} is locked by another program; waiting`) })
    })
    say(`${to}: ${count(position.rows, 'row')}`)
  } catch (error) {
    throw withPath(from, error)
  } finally {
    lock?.release()
    interrupt.end()
    database.close()
  }
}

async function writerFor(
  path: string,
  table: string,
  fields: readonly string[],
): Promise<TransformStream<unknown, Uint8Array>> {
  const format = extname(path).toLowerCase()
  if (!['.csv', '.jsonl', '.xlsx'].includes(format))
    throw new UsageError(`export makes a file that ends in .csv, .xlsx or .jsonl, got ${path}`)
  if (format === '.jsonl') return toJsonl()
  if (fields.length === 0) throw new UsageError(`${table} has no columns; export to .jsonl`)
  if (format === '.csv') return toCsv({ fields })
  // Nobody else needs it.
  const { toXlsx } = await import('./xlsx.ts')
  const of = allTables().find(({ name }) => [name, `${name}_found`].includes(table))
  return toXlsx(fields, { wide: of?.text, times: [of?.time, 'first_seen'] })
}

function sourceOf(database: DatabaseSync, path: string, { table }: ExportFlags): Source {
  const rows = database
    .prepare(
      `SELECT name, type FROM sqlite_master AS each
       WHERE EXISTS (SELECT 1 FROM pragma_table_info(each.name) WHERE name = 'record')`,
    )
    .all()
  const all = rows.map(({ name, type }): Source => ({ name: String(name), isView: type === 'view' }))
  if (all.length === 0) throw new UsageError(`${path} has no records`)
  const [first, second] = all.filter(({ name, isView }) => (table === undefined ? !isView : name === table))
  if (first !== undefined && second === undefined) return first
  throw tableIsMissing(all.map(({ name }) => name))
}

/** The number of the last row that `--new` has exported. */
function lastExported(database: DatabaseSync, name: string): number {
  const row = database.prepare('SELECT state FROM social_search_jobs WHERE job = ?').get(`export ${name}`)
  return Number(row?.['state'] ?? 0)
}

function keepExported(database: DatabaseSync, name: string, last: number): void {
  database.prepare('REPLACE INTO social_search_jobs VALUES (?, ?)').run(`export ${name}`, String(last))
}

/**
 * The columns that tell which queries have found a record, as SQL; empty if none has, as for those of the organization. `query`
 * is JSON.
 */
function originOf(database: DatabaseSync, { name, isView }: Source): string {
  if (isView) return 'json_quote(query) AS query, first_seen, '
  if (columnsOf(database, 'social_search_results').length === 0) return ''
  const searches = `social_search_searches AS searches WHERE records = '${name}' AND network IS NOT NULL`
  if (database.prepare(`SELECT 1 FROM ${searches}`).get() === undefined) return ''
  return `(SELECT json_group_array(DISTINCT search ORDER BY number) FROM ${searches} AND EXISTS (
    SELECT 1 FROM social_search_results AS results
    WHERE results.search = searches.number AND results.number = ${quoted(name)}.rowid)) AS query, `
}

function columnsOf(database: DatabaseSync, table: string): string[] {
  const rows = database.prepare('SELECT name FROM pragma_table_info(?)').all(table)
  return rows.map(({ name }) => String(name)).filter((name) => !ownColumns.includes(name))
}

/** Reads in parts: a job can write between them. Its rows get higher numbers. @param isNew Whether rows come in the order in which they were added. */
function recordsOf(
  database: DatabaseSync,
  { name, isView }: Source,
  isNew: boolean,
  origin: string,
  position: Position,
): ReadableStream<unknown> {
  const rows =
    isNew && !isView
      ? `social_search_added AS added JOIN ${quoted(name)} ON ${quoted(name)}.number = added.row AND +added.records = '${name}'`
      : quoted(name)
  const number = isNew && !isView ? 'added.number' : `${quoted(name)}.rowid`
  const { last } = database.prepare(`SELECT ifnull(max(${number}), 0) AS last FROM ${rows}`).get() ?? {}
  const read = database.prepare(
    `SELECT ${number} AS number, ${origin}record FROM ${rows} WHERE ${number} > ? AND ${number} <= ? ORDER BY 1 LIMIT 1000`,
  )
  return new ReadableStream({
    pull(controller) {
      // A row that another search finds meanwhile gets a new number, and comes with the next export.
      const rows = read.all(position.last, Number(last))
      for (const { number, record, ...from } of rows) {
        position.last = Number(number)
        position.rows++
        const value = JSON.parse(String(record)) as unknown
        controller.enqueue(origin === '' ? value : withOrigin(from, value))
      }
      if (rows.length === 0) controller.close()
    },
  })
}

/** A record with the queries that have found it. Fields of its own with the same names are under `record`. */
function withOrigin(row: Readonly<Record<string, unknown>>, value: unknown): Record<string, unknown> {
  const from = { ...row, query: JSON.parse(String(row['query'])) as unknown }
  const fields = Object(value) as Readonly<Record<string, unknown>>
  const hidden = Object.entries(fields).filter(([name]) => Object.hasOwn(from, name))
  return {
    ...{ ...from, ...fields, ...from },
    ...(hidden.length > 0 && { record: Object.fromEntries(hidden) }),
  }
}
