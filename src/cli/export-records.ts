import { closeSync, existsSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { type Column, type ColumnType, toCsv, toJsonl, toParquet } from '../extensions/export/index.ts'
import { messageOf } from '../lib/thrown.ts'
import { UsageError } from './command-errors.ts'
import { exact } from './exact-records.ts'
import { asWritten, fileFormatOf } from './output-file.ts'
import { columnTypes, quoted } from './record-database.ts'
import { importWithSqlite } from './sqlite.ts'

interface ExportFlags {
  readonly table?: string
  readonly bom?: boolean
}

/** Makes a file of the records in a database. */
export async function exportRecords(from: string, to: string, flags: ExportFlags): Promise<void> {
  const { DatabaseSync } = await importWithSqlite('export', () => import('node:sqlite'))
  if (!existsSync(from)) throw new UsageError(`${from} does not exist`)
  const database = new DatabaseSync(resolve(from))
  try {
    database.exec('PRAGMA busy_timeout = 10000')
    const table = tableOf(database, from, flags.table)
    const bytes = recordsOf(database, table).pipeThrough(
      writerFor(to, table, columnsOf(database, table), flags),
    )
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

/** The table with records that is meant. */
function tableOf(database: DatabaseSync, path: string, wanted: string | undefined): string {
  const rows = database
    .prepare(
      `SELECT name FROM sqlite_master AS each
       WHERE type = 'table' AND EXISTS (SELECT 1 FROM pragma_table_info(each.name) WHERE name = 'record')`,
    )
    .all()
  const tables = rows.map(({ name }) => String(name))
  if (tables.length === 0) throw new UsageError(`${path} has no records`)
  const [first, second] = wanted === undefined ? tables : tables.filter((name) => name === wanted)
  if (first !== undefined && second === undefined) return first
  throw new UsageError(`pass --table with one of ${tables.join(', ')}`)
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
function recordsOf(database: DatabaseSync, table: string): ReadableStream<unknown> {
  const read = database.prepare(
    `SELECT rowid AS number, record FROM ${quoted(table)} WHERE rowid > ? ORDER BY rowid LIMIT 1000`,
  )
  let last = 0
  return new ReadableStream({
    pull(controller) {
      const rows = read.all(last)
      for (const { record } of rows) controller.enqueue(exact(String(record)))
      last = Number(rows.at(-1)?.['number'])
      if (rows.length === 0) controller.close()
    },
  })
}
