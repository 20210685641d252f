import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { Operation } from '../api/operation.ts'
import { jsonOf } from '../extensions/export/record-json.ts'
import { type Column, cellOf, columnsOf } from '../extensions/export/fields.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { isRecord } from '../lib/is-record.ts'
import { parsed } from '../lib/json.ts'
import { messageOf } from '../lib/thrown.ts'
import { UsageError } from './command-errors.ts'
import type { FileLock } from '../lib/node/file-lock.ts'
import { lockForRun } from './run-lock.ts'
import { importSqlite } from './sqlite.ts'

/** How far a job or a watch is. */
export type Progress = Readonly<Record<string, unknown>>

/** Affinities that keep whole numbers whole, and that DuckDB can read. */
const columnTypes = { text: 'TEXT', number: 'NUMERIC', boolean: 'INTEGER' } as const

/** Two jobs of one file take turns. */
export const patience = 'PRAGMA busy_timeout = 10000'

/** An SQLite file with a table for each kind of record, and the progress of jobs. Jobs that differ may write it at the same time. */
export class RecordDatabase {
  readonly #database: DatabaseSync
  readonly #lock: FileLock
  readonly #columns: readonly Column[]
  /** The field that the service documents as unique. */
  readonly #unique: string | undefined
  readonly #insert: StatementSync
  /** Makes the table of which query has found a record, and a view of it. */
  readonly #createFound: string
  /** What earlier runs have stored of each job, if anything. */
  readonly progress: readonly (Progress | undefined)[]

  private constructor(
    database: DatabaseSync,
    lock: FileLock,
    { operation, jobs, needed }: RecordDatabaseOptions,
  ) {
    this.#database = database
    this.#lock = lock
    this.#columns = columnsOf(operation)
    this.#unique = operation.unique
    const unique = this.#columns.find(({ path }) => path === operation.unique)
    const table = quoted(tableOf(operation))
    const columns = [
      ...(unique === undefined ? ['"key" TEXT PRIMARY KEY'] : []),
      ...this.#columns.map(
        (each) => `${quoted(each.path)} ${columnTypes[each.type]}${each === unique ? ' PRIMARY KEY' : ''}`,
      ),
      '"record" TEXT NOT NULL',
    ]
    const names = columns.map((column) => /^".*"/.exec(column)?.[0] ?? '')
    const values = names.map(() => '?').join(', ')
    this.#createFound = `CREATE TABLE IF NOT EXISTS social_search_found
        (number INTEGER PRIMARY KEY AUTOINCREMENT, query TEXT, key TEXT, first_seen TEXT NOT NULL, UNIQUE (query, key));
      CREATE VIEW IF NOT EXISTS ${quoted(`${tableOf(operation)}_found`)} AS
        SELECT number AS rowid, query, first_seen, records.* FROM social_search_found AS found
        JOIN ${table} AS records ON records.${quoted(unique?.path ?? 'key')} = found.key`
    database.exec(`${patience};
      CREATE TABLE IF NOT EXISTS ${table} (${columns.join(', ')});
      CREATE TABLE IF NOT EXISTS social_search_jobs (job TEXT PRIMARY KEY, state TEXT NOT NULL)`)
    // Fails before a page is bought if the table has other columns.
    this.#insert = database.prepare(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${values}) ON CONFLICT DO NOTHING`,
    )
    this.progress = needed === undefined ? [] : jobs.map((job) => progressOf(database, job, needed))
  }

  /** @throws {UsageError} for a file that is not a database, that another run of the same jobs writes, or whose progress cannot be read. */
  static async open(path: string, options: RecordDatabaseOptions): Promise<RecordDatabase> {
    const { DatabaseSync } = await importSqlite('--out')
    const lock = await lockForRun(path, `.${hashOf(options.jobs.map(textOf).sort()).slice(0, 8)}`)
    let database: DatabaseSync | undefined
    try {
      // An absolute path, since SQLite reads others as a URI.
      database = new DatabaseSync(resolve(path))
      return new RecordDatabase(database, lock, options)
    } catch (error) {
      database?.close()
      lock.release()
      throw explained(path, error)
    }
  }

  /** @throws if another program keeps the file locked, so that a job ends before it buys a page that it could not store. */
  assertUnlocked(): void {
    this.#database.exec('BEGIN IMMEDIATE; ROLLBACK')
  }

  /**
   * Stores records and the progress of a job, or neither.
   *
   * @param query The query that has found the records, to be stored with them.
   * @returns how many of the records are new.
   */
  store(records: readonly unknown[], job: object, progress: object, query?: string): number {
    const database = this.#database
    let added = 0
    database.exec('BEGIN IMMEDIATE')
    try {
      for (const record of records) added += Number(this.#insert.run(...this.#rowOf(record)).changes)
      if (query !== undefined) this.#storeFound(records, query)
      database
        .prepare(
          'INSERT INTO social_search_jobs VALUES (?, ?) ON CONFLICT DO UPDATE SET state = excluded.state',
        )
        .run(textOf(job), JSON.stringify(progress))
      database.exec('COMMIT')
      return added
    } catch (error) {
      // SQLite may have ended the transaction itself, such as on a full disk.
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }

  close(): void {
    this.#database.close()
    this.#lock.release()
  }

  #storeFound(records: readonly unknown[], query: string): void {
    this.#database.exec(this.#createFound)
    // In the form of SQLite's own functions, such as datetime('now', '-1 day').
    const insert = this.#database.prepare(
      "INSERT INTO social_search_found (query, key, first_seen) VALUES (?, ?, datetime('now')) ON CONFLICT DO NOTHING",
    )
    for (const record of records) insert.run(query, this.#keyOf(record))
  }

  #rowOf(record: unknown): SQLInputValue[] {
    const cells = this.#columns.map(({ path }) => {
      const value = cellOf(record, path)
      return typeof value === 'boolean' ? Number(value) : value
    })
    const hasUniqueColumn = this.#columns.some(({ path }) => path === this.#unique)
    return [...(hasUniqueColumn ? [] : [this.#keyOf(record)]), ...cells, jsonOf(record)]
  }

  /** An id that is not documented as unique may be that of something else, such as of the post that a reaction is about. */
  #keyOf(record: unknown): string {
    const id = (record as Readonly<Record<string, unknown>> | null)?.[this.#unique ?? '']
    return typeof id === 'string' ? id : hashOf(record)
  }
}

export interface RecordDatabaseOptions {
  readonly operation: Operation
  /** What distinguishes the jobs from others in the same file. */
  readonly jobs: readonly object[]
  /** Fields that stored progress must have; undefined to read none. */
  readonly needed?: readonly string[] | undefined
}

/** @throws {UsageError} if it cannot be read: without it, pages would be paid again. */
function progressOf(database: DatabaseSync, job: object, needed: readonly string[]): Progress | undefined {
  const row = database.prepare('SELECT state FROM social_search_jobs WHERE job = ?').get(textOf(job))
  if (row === undefined) return undefined
  const progress = parsed(String(row['state']))
  if (isRecord(progress) && needed.every((field) => Object.hasOwn(progress, field))) return progress
  throw new UsageError('a row of social_search_jobs is not the state of a job; pass another --out')
}

/**
 * What earlier runs have stored of jobs, also while another run has their lock; nothing without a file.
 *
 * @throws {UsageError} for a file that is not a database, or whose progress cannot be read.
 */
export async function storedProgress(
  path: string,
  jobs: readonly object[],
): Promise<readonly (Progress | undefined)[]> {
  if (!existsSync(path)) return []
  const { DatabaseSync } = await importSqlite('--out')
  let database: DatabaseSync | undefined
  try {
    // To write, too: it completes what a run that was killed has begun.
    const opened = (database = new DatabaseSync(resolve(path)))
    opened.exec(patience)
    return jobs.map((job) => progressOf(opened, job, []))
  } catch (error) {
    if (/no such table/.test(messageOf(error))) return []
    throw explained(path, error)
  } finally {
    database?.close()
  }
}

function explained(path: string, error: unknown): unknown {
  return /not a database|unable to open/.test(messageOf(error))
    ? new UsageError(`${path} is not an SQLite database; pass another --out`)
    : error
}

/** `microblog_posts`, `professionalnet_comments`, `mentions`. */
function tableOf({ id, list = '' }: Operation): string {
  const group = id
    .split('.')
    .slice(0, -1)
    .filter((name) => name !== list && name !== 'posts')
  return [...group, list].join('_')
}

function textOf(job: object): string {
  return canonicalJson(job) ?? ''
}

/** A hash that equal values share, whatever the order of their fields. */
function hashOf(value: unknown): string {
  return createHash('sha256')
    .update(canonicalJson(value) ?? '')
    .digest('hex')
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
