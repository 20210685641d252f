import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { toCsv, toJsonl } from '../extensions/export/index.ts'
import { count } from '../lib/count.ts'
import { UsageError } from './command-errors.ts'
import { asWritten, openDatabase, withPath } from './database/open-database.ts'
import { allTables, quoted, tableIsMissing } from './database/tables.ts'
import { say } from './terminal.ts'

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
  try {
    const source = sourceOf(database, from, flags)
    const { name } = source
    const origin = originOf(database, source)
    const columns = columnsOf(database, name)
    const writer = await writerFor(to, name, origin === '' ? columns : [...new Set(['query', ...columns])])
    const position = { last: flags.new === true ? lastExported(database, name) : 0, rows: 0 }
    const bytes = recordsOf(database, name, origin, position).pipeThrough(writer)
    // Until the new file is complete, the old one stays.
    const unfinished = flags.overwrite === true ? `${to}.${process.pid}.part` : to
    const file = asWritten(unfinished, () => openSync(unfinished, 'wx'))
    try {
      try {
        for await (const part of bytes) writeFileSync(file, part)
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
      asWritten(to, () => renameSync(unfinished, to))
      // The file is complete first: after a crash, rows may come twice, but none is lost.
      if (flags.new === true) keepExported(database, name, position.last)
    } catch (error) {
      rmSync(unfinished, { force: true })
      throw error
    }
    say(`${to}: ${count(position.rows, 'row')}`)
  } catch (error) {
    throw withPath(from, error)
  } finally {
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

function sourceOf(database: DatabaseSync, path: string, { table, new: isNew }: ExportFlags): Source {
  const rows = database
    .prepare(
      `SELECT name, type FROM sqlite_master AS each
       WHERE EXISTS (SELECT 1 FROM pragma_table_info(each.name) WHERE name = 'record')`,
    )
    .all()
  const all = rows.map(({ name, type }): Source => ({ name: String(name), isView: type === 'view' }))
  if (all.length === 0) throw new UsageError(`${path} has no records`)
  const fit = all.filter(({ isView }) => isView || isNew !== true)
  if (fit.length === 0)
    throw new UsageError(`--new needs posts that watch has found; ${path} does not say when its records came`)
  const [first, second] = fit.filter(({ name, isView }) =>
    table === undefined ? isView === (isNew === true) : name === table,
  )
  if (first !== undefined && second === undefined) return first
  throw tableIsMissing(fit.map(({ name }) => name))
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
    WHERE search = searches.number AND number = ${quoted(name)}.rowid)) AS query, `
}

function columnsOf(database: DatabaseSync, table: string): string[] {
  const rows = database.prepare('SELECT name FROM pragma_table_info(?)').all(table)
  return rows.map(({ name }) => String(name)).filter((name) => !ownColumns.includes(name))
}

/** Reads in parts: a job can write between them. Its rows get higher numbers. */
function recordsOf(
  database: DatabaseSync,
  name: string,
  origin: string,
  position: Position,
): ReadableStream<unknown> {
  const read = database.prepare(
    `SELECT rowid AS number, ${origin}record FROM ${quoted(name)}
     WHERE rowid > ? ORDER BY rowid LIMIT 1000`,
  )
  return new ReadableStream({
    pull(controller) {
      const rows = read.all(position.last)
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
