import type { DatabaseSync } from 'node:sqlite'
import type { Operation } from '../../api/operation.ts'
import { cellOf } from '../../extensions/export/fields.ts'
import type { FileLock } from '../../lib/node/file-lock.ts'
import { isRecord, parsed } from '../../lib/json.ts'
import { parseTime } from '../../lib/time.ts'
import {
  type FileIdentity,
  type Patience,
  identityOf,
  inTransaction,
  patiently,
} from '../../lib/sqlite-file.ts'
import { CommandError, UsageError } from '../command-errors.ts'
import { say } from '../terminal.ts'
import { currentFormat } from './format.ts'
import { clear, forgetIn, Forgotten, remainsText } from './forget.ts'
import { lockForRun, openDatabase, openForRun, withPath } from './open-database.ts'
import { RecordWriter, hashOf, sqliteTime } from './record-writer.ts'
import { createFoundView, createTables } from './schema.ts'
import { type RecordTable, tableOf } from './tables.ts'
import { type Credits, type Gap, SearchWriter, jobKey } from './searches.ts'

export interface RecordDatabaseOptions {
  readonly operation: Operation
  /** What distinguishes the jobs from others in the same file. */
  readonly jobs: readonly object[]
  /** Fields that stored progress must have; undefined to read none. */
  readonly needed?: readonly string[] | undefined
  /** Records that were published longer ago, in milliseconds, are forgotten. */
  readonly keep?: number | undefined
}

/** How often a run looks for old records to forget, in milliseconds. */
const forgetEveryMs = 3_600_000

/** What a job has read, and how far it is; before a request, only what it may cost. */
export interface StoredPage {
  readonly job: object
  readonly progress?: object
  readonly records?: readonly unknown[]
  /** Records of the page that a watch has found before: their rows are updated. */
  readonly known?: readonly unknown[]
  /** The query that has found the records, for `export --new`. */
  readonly query?: string
  readonly gaps?: readonly Gap[]
  /** Whether it stores the end of a check that has failed. */
  readonly hasFailed?: boolean
  /** Of the run so far. */
  readonly credits?: Credits
  /** What the costs are counted under. */
  readonly label?: string | undefined
  /** When the answer came. Default: now. */
  readonly at?: Date | undefined
  /** What the age of records counts from: a wrong clock of this machine must not forget them all. */
  readonly now?: number
}

/** An SQLite file with a table for each kind of record, and the progress of jobs. Jobs that differ may write it at the same time. */
export class RecordDatabase {
  readonly #path: string
  readonly #identity: FileIdentity
  readonly #database: DatabaseSync
  readonly #lock: FileLock
  readonly #table: RecordTable
  readonly #records: RecordWriter
  readonly #searches: SearchWriter
  readonly #forgotten: Forgotten
  readonly #keep: number | undefined
  #keptAt = -Infinity
  /** What earlier runs have stored of each job, if anything. */
  readonly progress: readonly (Progress | undefined)[]

  private constructor(path: string, database: DatabaseSync, lock: FileLock, options: RecordDatabaseOptions) {
    const { operation, jobs, needed, keep } = options
    this.#keep = keep
    this.#path = path
    this.#identity = identityOf(path)
    this.#database = database
    this.#lock = lock
    this.#table = tableOf(operation)
    inTransaction(database, () => createTables(database, this.#table))
    this.#records = new RecordWriter(database, this.#table)
    this.#searches = new SearchWriter(database, this.#table)
    this.#forgotten = new Forgotten(database)
    this.progress = needed === undefined ? [] : jobs.map((job) => progressOf(database, job, needed))
  }

  /** @throws {UsageError} for a file that is not a database, that another run of the same jobs writes, or whose progress cannot be read. */
  static async open(
    path: string,
    options: RecordDatabaseOptions,
    patience?: Patience,
  ): Promise<RecordDatabase> {
    // Each search has a lock of its own, so that runs with different lists do not pay for the same one.
    const lock = lockForRun(path, options.jobs.map((job) => `.${hashOf(job).slice(0, 12)}`).sort())
    let database: DatabaseSync | undefined
    try {
      const opened = (database = await patiently(() => openForRun(path), patience))
      return await patiently(() => new RecordDatabase(path, opened, lock, options), patience)
    } catch (error) {
      database?.close()
      lock.release()
      throw withPath(path, error)
    }
  }

  /**
   * Stores a page, the progress of its job and what it has cost, or nothing. The row of a known record is updated.
   *
   * @returns how many of the records are new.
   * @throws if the file cannot be written, so that a job ends before it buys a page that it could not store.
   */
  store({
    job,
    progress,
    records,
    known = [],
    query,
    gaps,
    credits,
    label,
    hasFailed,
    at,
    now = Date.now(),
  }: StoredPage): number {
    const time = sqliteTime(at ?? new Date())
    return this.#inTransaction(() => {
      let added = 0
      // A search shows its costs also before it has a page.
      const search = this.#searches.numberOf(job)
      if (records !== undefined) {
        this.#forgotten.addDeleted()
        if (query !== undefined) createFoundView(this.#database, this.#table)
        for (const record of records) {
          const key = this.#records.keyOf(record)
          if (this.#forgotten.has(this.#table, key, record) || this.#isTooOld(record, now)) continue
          const { number, isNew } = this.#records.write(record, time)
          if (isNew) added++
          this.#searches.addResult(search, number, isNew)
          if (query !== undefined) this.#storeFound(query, key)
        }
        for (const record of known) this.#records.update(record, time)
        if (hasFailed !== true) this.#searches.checked(search, time)
        if (gaps !== undefined) this.#searches.setGaps(search, gaps)
      }
      if (credits !== undefined) this.#searches.spend(search, credits, label)
      if (progress !== undefined)
        this.#database
          .prepare(
            'INSERT INTO social_search_jobs VALUES (?, ?) ON CONFLICT DO UPDATE SET state = excluded.state',
          )
          .run(jobKey(job), JSON.stringify(progress))
      return added
    })
  }

  /** @throws while another program has the file, or if it is not where it was: nothing may be bought then. */
  assertWritable(): void {
    this.#assertThere()
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      // Only a change tells: SQLite begins a transaction in a file that it may only read.
      this.#database.exec(`PRAGMA user_version = ${currentFormat}`)
    } finally {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
    }
  }

  /**
   * Forgets once an hour what is older than `keep`, and clears what another program has deleted. Others can write in between.
   *
   * @param now What the age of records counts from: a wrong clock of this machine must not forget them all.
   */
  async forgetOld(now: number, patience?: Patience): Promise<void> {
    const at = performance.now()
    const isDue = this.#keep !== undefined && at - this.#keptAt >= forgetEveryMs
    if (!isDue && !this.#forgotten.hasTraces) return
    this.#keptAt = at
    const collection = { database: this.#database, tables: [this.#table] }
    const isClean = isDue
      ? (await forgetIn(this.#path, collection, { olderThan: this.#keep, now }, patience)).isClean
      : await clear(this.#path, this.#database, patience)
    if (!isClean) say(remainsText(this.#path))
  }

  close(): void {
    try {
      // SQLite would leave the last pages in a log that a moved file does not find.
      if (this.#identity.isReplaced()) this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch {
      // Another program has the file, or the disk is full: its log remains where it was.
    }
    this.#database.close()
    this.#lock.release()
  }

  #assertThere(): void {
    if (!this.#identity.isReplaced()) return
    throw new CommandError('failed', movedText(this.#path))
  }

  #inTransaction<T>(work: () => T): T {
    this.#assertThere()
    let isStored = false
    try {
      const result = inTransaction(this.#database, work)
      isStored = true
      return result
    } finally {
      this.#searches.settle(isStored)
    }
  }

  #isTooOld(record: unknown, now: number): boolean {
    const time = cellOf(record, this.#table.time ?? '')
    return this.#keep !== undefined && now - parseTime(time) > this.#keep
  }

  #storeFound(query: string, key: string): void {
    // In the form of SQLite's own functions, such as datetime('now', '-1 day').
    this.#database
      .prepare(
        "INSERT INTO social_search_found (query, key, first_seen) VALUES (?, ?, datetime('now')) ON CONFLICT DO NOTHING",
      )
      .run(query, key)
  }
}

export function movedText(path: string): string {
  return `${path} was moved, removed or replaced while this run wrote to it`
}

/** How far a job or a watch is. */
export type Progress = Readonly<Record<string, unknown>>

/**
 * @param needed Fields that it must have.
 * @throws {UsageError} if it cannot be read: without it, pages would be paid again.
 */
function progressOf(database: DatabaseSync, job: object, needed: readonly string[]): Progress | undefined {
  const row = database.prepare('SELECT state FROM social_search_jobs WHERE job = ?').get(jobKey(job))
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
export function storedProgress(path: string, jobs: readonly object[]): readonly (Progress | undefined)[] {
  const database = openDatabase(path, '--out')
  try {
    const table = database?.prepare("SELECT 1 FROM sqlite_master WHERE name = 'social_search_jobs'").get()
    return table === undefined ? [] : jobs.map((job) => database && progressOf(database, job, []))
  } catch (error) {
    throw withPath(path, error)
  } finally {
    database?.close()
  }
}
