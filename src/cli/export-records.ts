import { closeSync, existsSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { type Column, type ColumnType, toCsv, toJsonl, toParquet } from '../extensions/export/index.ts'
import { messageOf } from '../lib/thrown.ts'
import { UsageError } from './command-errors.ts'
import { exact } from './exact-records.ts'
import { millisecondsOf } from './flags.ts'
import { asWritten, fileFormatOf } from './output-file.ts'
import { columnTypes, quoted } from './record-database.ts'
import { importWithSqlite } from './sqlite.ts'

interface ExportFlags {
  readonly table?: string
  readonly since?: string
  readonly bom?: boolean
}

/** A table with records, or a view that also tells which query has found a record, and when. */
interface Source {
  readonly name: string
  readonly isView: boolean
}

const year = 366 * 86_400_000

/** Makes a file of the records in a database. */
export async function exportRecords(from: string, to: string, flags: ExportFlags): Promise<void> {
  const { DatabaseSync } = await importWithSqlite('export', () => import('node:sqlite'))
  if (!existsSync(from)) throw new UsageError(`${from} does not exist`)
  const database = new DatabaseSync(resolve(from))
  try {
    database.exec('PRAGMA busy_timeout = 10000')
    const source = sourceOf(database, from, flags)
    const { name } = source
    const writer = writerFor(to, name, columnsOf(database, name), flags)
    const bytes = recordsOf(database, source, startOf(flags)).pipeThrough(writer)
    const file = asWritten(to, () => openSync(to, 'wx'))
    try {
      for await (const part of bytes) writeFileSync(file, part)
    } catch (error) {
      rmSync(to, { force: true })
      throw error
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (!messageOf(error).includes('not a database')) throw error
    throw new UsageError(`${from} is not an SQLite database`)
  } finally {
    database.close()
  }
}

function writerFor(
  path: string,
  table: string,
  fields: readonly Column[],
  { bom }: ExportFlags,
): TransformStream<unknown, Uint8Array> {
  const format = fileFormatOf(path)
  if (format === undefined || format === 'db')
    throw new UsageError(`export makes a file that ends in .csv, .jsonl or .parquet, got ${path}`)
  if (bom === true && format !== 'csv') throw new UsageError('--bom needs a .csv file')
  if (format === 'jsonl') return toJsonl()
  if (fields.length === 0)
    throw new UsageError(`${table} has no columns; export to .jsonl, or collect the records with --fields`)
  return format === 'csv' ? toCsv({ fields, bom }) : toParquet({ fields })
}

function sourceOf(database: DatabaseSync, path: string, { table, since }: ExportFlags): Source {
  const rows = database
    .prepare(
      `SELECT name, type FROM sqlite_master AS each
       WHERE EXISTS (SELECT 1 FROM pragma_table_info(each.name) WHERE name = 'record')`,
    )
    .all()
  const all = rows.map(({ name, type }): Source => ({ name: String(name), isView: type === 'view' }))
  if (all.length === 0) throw new UsageError(`${path} has no records`)
  const fit = all.filter(({ isView }) => isView || since === undefined)
  if (fit.length === 0)
    throw new UsageError(
      `--since needs posts that watch has found; ${path} does not say when its records came`,
    )
  const [first, second] = fit.filter(({ name, isView }) =>
    table === undefined ? isView === (since !== undefined) : name === table,
  )
  if (first !== undefined && second === undefined) return first
  throw new UsageError(`pass --table with one of ${fit.map(({ name }) => name).join(', ')}`)
}

/** The minute in which `--since` begins, as the database spells it: a schedule starts some runs seconds later than others. */
function startOf({ since }: ExportFlags): string {
  if (since === undefined) return ''
  const start = new Date(Date.now() - millisecondsOf('--since', since, year))
  return `${start.toISOString().slice(0, 16).replace('T', ' ')}:00`
}

function columnsOf(database: DatabaseSync, table: string): Column[] {
  const rows = database.prepare('SELECT name, type FROM pragma_table_info(?)').all(table)
  return rows
    .filter(({ name }) => name !== 'key' && name !== 'record')
    .map(({ name, type }) => ({
      path: String(name),
      type: (Object.keys(columnTypes) as ColumnType[]).find((each) => columnTypes[each] === type),
    }))
}

/** Reads in parts: a job can write between them. */
function recordsOf(database: DatabaseSync, { name, isView }: Source, start: string): ReadableStream<unknown> {
  const found = 'query, first_seen, record'
  // A view has no numbers of rows.
  if (isView)
    database
      .prepare(
        `CREATE TEMP TABLE export AS SELECT ${found} FROM ${quoted(name)}
         WHERE first_seen >= ? ORDER BY query, first_seen`,
      )
      .run(start)
  const read = database.prepare(
    `SELECT rowid AS number, ${isView ? found : 'record'} FROM ${isView ? 'temp.export' : quoted(name)}
     WHERE rowid > ? ORDER BY rowid LIMIT 1000`,
  )
  let last = 0
  return new ReadableStream({
    pull(controller) {
      const rows = read.all(last)
      for (const { number, record, ...from } of rows) {
        last = Number(number)
        const value = exact(String(record))
        controller.enqueue(isView ? { ...from, ...Object(value) } : value)
      }
      if (rows.length === 0) controller.close()
    },
  })
}
