/**
 * A run and its posts.db. Before a call is sent, the file has a row with the most that it may cost; once its answer is there, one
 * transaction stores the records, how far the job is, what is missing, and what the call has cost. So a kill at any moment leaves one or
 * the other, and never less than was charged. `schema.ts` has the tables, `record-writer.ts` writes a record, `searches.ts` what was
 * searched, its gaps and its costs.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Operation } from '../../api/operation.ts'
import type { Call, CallResult, Send } from '../../extend.ts'
import type { Budget } from '../../index.ts'
import type { FileLock } from '../../lib/node/file-lock.ts'
import { isRecord, parsed, shallow } from '../../lib/json.ts'
import { type Patience, identityOf, inTransaction } from '../../lib/sqlite-file.ts'
import { CommandError, UsageError } from '../command-errors.ts'
import { say } from '../terminal.ts'
import { forgetIn, remainsText } from './forget.ts'
import { OpenDatabase, lockForRun } from './open-database.ts'
import { RecordWriter, hashOf, sqliteTime } from './record-writer.ts'
import { createTables, currentFormat } from './schema.ts'
import { type Purchase, SearchWriter, jobKey, partsOf } from './searches.ts'
import { SeenRecords } from './seen-records.ts'
import { type RecordTable, hasTable, tableOf } from './tables.ts'

export interface RecordDatabaseOptions {
  readonly operation: Operation
  /** What distinguishes the jobs from others in the same file. */
  readonly jobs: readonly object[]
  /** Fields that stored progress must have. */
  readonly needed?: readonly string[]
  /** Records that were published longer ago, in milliseconds, are forgotten. */
  readonly keep?: number | undefined
}

/** How a command uses a file. */
export interface RecordDatabaseUse {
  /** How long it waits for other programs that have the file. */
  readonly patience?: Patience
  /** What costs are counted under. */
  readonly label?: string | undefined
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
  /** Whether it stores the end of a check that has failed. */
  readonly hasFailed?: boolean
  /** When the answer came. Default: now. */
  readonly at?: Date | undefined
}

/**
 * An SQLite file with a table for each kind of record, and the progress of jobs. It has what each call may cost before it is sent, and
 * then what it has cost and brought. Jobs that differ may write it at the same time.
 */
export class RecordDatabase {
  readonly #file: OpenDatabase
  readonly #identity: string | undefined
  readonly #lock: FileLock
  /** The kinds of records that the run writes, by their operations. */
  readonly #kinds = new Map<string, { readonly table: RecordTable; readonly writer: RecordWriter }>()
  readonly #searches: SearchWriter
  /** The rows of calls. */
  readonly #purchases = new WeakMap<object, Purchase>()
  readonly #seen: SeenRecords
  readonly #keep: number | undefined
  readonly #label: string | undefined
  #keptAt = -Infinity
  /** The last call whose cost it has. */
  noted: Call | undefined
  /** What earlier runs have stored of each job, if anything. */
  readonly progress: readonly (Progress | undefined)[]

  private constructor(
    file: OpenDatabase,
    lock: FileLock,
    { operation, jobs, needed = [], keep }: RecordDatabaseOptions,
    label: string | undefined,
  ) {
    const { path, database } = file
    this.#keep = keep
    this.#label = label
    this.#file = file
    this.#identity = identityOf(path)
    this.#lock = lock
    this.#prepareFor(operation)
    this.#searches = new SearchWriter(database)
    this.#seen = new SeenRecords(database)
    this.progress = jobs.map((job) => progressOf(database, job, needed))
  }

  /** @throws {UsageError} for a file that is not a database, that another run of the same jobs writes, or whose progress cannot be read. */
  static async open(
    path: string,
    options: RecordDatabaseOptions,
    { patience, label }: RecordDatabaseUse = {},
  ): Promise<RecordDatabase> {
    // Each search has a lock of its own, so that runs with different lists do not pay for the same one.
    const lock = lockForRun(path, options.jobs.map((job) => `.${hashOf(job).slice(0, 12)}`).sort())
    let file: OpenDatabase | undefined
    try {
      const opened = (file = await OpenDatabase.open(path, '--out', patience))
      return await opened.run(() => new RecordDatabase(opened, lock, options, label))
    } catch (error) {
      file?.close()
      lock.release()
      throw error
    }
  }

  /**
   * Sends a call once the file has what it may cost, so that a kill cannot hide that, and once nothing keeps the file from taking what
   * the call brings. The call waits for the file before it queues: when its turn comes, others wait for its slot.
   *
   * @param underWay The job of the call, and how far it is.
   */
  async send(send: Send, call: Call, underWay: () => StoredPage): Promise<CallResult> {
    const { settings, operation } = call
    await this.assertWritable(operation)
    const ended = new AbortController()
    const note = (credits: number): Promise<void> => {
      const work = (): void => {
        this.store(underWay(), call, credits)
        this.noted = call
      }
      return this.#file.run(work, { signal: ended.signal })
    }
    // The last one: what another budget refuses is not noted.
    const budget = [...settings.budget, costNotes(note)]
    try {
      return await send({ ...call, settings: { ...settings, budget } })
    } finally {
      // Of a call that has ended, nothing is noted once the file is free.
      ended.abort()
    }
  }

  /** Stores a page once the file is free, with what its call has cost in the end. */
  keep(page: StoredPage, call: Call | undefined): Promise<number> {
    return this.#file.run(() => this.store(page, call))
  }

  /**
   * Stores a page, the progress of its job and what its call has cost, or nothing. The row of a known record is updated.
   *
   * @param reserved What the call may cost in addition: a process that is killed cannot tell.
   * @returns how many of the records are new.
   * @throws if the file cannot be written, so that a job ends before it buys a page that it could not store.
   */
  store(page: StoredPage, call?: Pick<Call, 'record'>, reserved = 0): number {
    const { job, progress, records, known = [], hasFailed, at } = page
    const time = sqliteTime(at ?? new Date())
    this.#assertThere()
    const { operation } = partsOf(job)
    const kind = operation && this.#prepareFor(operation)
    return inTransaction(this.#file.database, () => {
      let added = 0
      // A search shows its costs also before it has a page.
      const search = this.#searches.numberOf(job)
      if (records !== undefined && kind !== undefined) {
        const { table, writer } = kind
        for (const record of records.map(shallow)) {
          const row = writer.update(record, time)
          if (row !== undefined) this.#searches.addResult(search, row, false)
          else if (this.#seen.admits(table, writer.keyOf(record), record)) {
            this.#searches.addResult(search, writer.add(record, time), true)
            added++
          }
        }
        for (const record of known) writer.update(record, time)
        if (hasFailed !== true) this.#searches.checked(search, time)
      }
      if (progress !== undefined) this.#searches.setState(search, progress)
      if (call !== undefined) this.#pay(search, call, reserved)
      return added
    })
  }

  /** @throws if the file is not where it was, or if it cannot keep what an operation brings: nothing may be bought then. */
  assertWritable(operation: Operation): Promise<void> {
    const { database } = this.#file
    return this.#file.run(() => {
      this.#assertThere()
      this.#prepareFor(operation)
      database.exec('BEGIN IMMEDIATE')
      try {
        // Only a change tells: SQLite begins a transaction in a file that it may only read.
        database.exec(`PRAGMA user_version = ${currentFormat}`)
      } finally {
        if (database.isTransaction) database.exec('ROLLBACK')
      }
    })
  }

  /**
   * Forgets once an hour what is older than `keep`. Others can write in between.
   *
   * @param now What the age of records counts from: a wrong clock of this machine must not forget them all.
   */
  async forgetOld(now: number): Promise<void> {
    const at = performance.now()
    if (this.#keep === undefined || at - this.#keptAt < forgetEveryMs) return
    this.#keptAt = at
    const tables = [...this.#kinds.values()].map(({ table }) => table)
    const { isClean } = await forgetIn(this.#file, tables, { olderThan: this.#keep, now })
    if (!isClean) say(remainsText(this.#file.path))
  }

  close(): void {
    const { path, database } = this.#file
    try {
      // SQLite would leave the last pages in a log that a moved file does not find.
      if (identityOf(path) !== this.#identity) database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch {
      // Another program has the file, or the disk is full: its log remains where it was.
    }
    this.#file.close()
    this.#lock.release()
  }

  #assertThere(): void {
    const { path } = this.#file
    if (identityOf(path) === this.#identity) return
    throw new CommandError('failed', `${path} was moved, removed or replaced while this run wrote to it`)
  }

  /** Makes the table of an operation; undefined if it brings no records. */
  #prepareFor(
    operation: Operation,
  ): { readonly table: RecordTable; readonly writer: RecordWriter } | undefined {
    const known = this.#kinds.get(operation.id)
    if (known !== undefined || operation.list === undefined) return known
    const { database } = this.#file
    const table = tableOf(operation)
    inTransaction(database, () => createTables(database, table))
    const kind = { table, writer: new RecordWriter(database, table) }
    this.#kinds.set(operation.id, kind)
    return kind
  }

  #pay(search: number, { record }: Pick<Call, 'record'>, reserved: number): void {
    const { spent, uncertain } = record.credits
    const cost = { credits: spent, uncertain: uncertain + reserved, label: this.#label }
    const known = this.#purchases.get(record) ?? { search, at: sqliteTime(new Date()), number: null }
    // If the transaction fails, no other row has this number, search and time.
    this.#purchases.set(record, this.#searches.pay(cost, known))
  }
}

/** A budget without a limit: it has what a call may cost written down before each attempt, which is not sent if that fails. */
function costNotes(note: (credits: number) => Promise<void>): Budget {
  // A page and its final cost are stored together, once the page is read.
  return { reserve: (credits) => ({ renew: () => note(credits), settle: () => {} }) }
}

/** How far a job or a watch is. */
export type Progress = Readonly<Record<string, unknown>>

/**
 * @param needed Fields that it must have.
 * @throws {UsageError} if it cannot be read: without it, pages would be paid again.
 */
function progressOf(database: DatabaseSync, job: object, needed: readonly string[]): Progress | undefined {
  const row = database.prepare('SELECT state FROM social_search_searches WHERE job = ?').get(jobKey(job))
  const state = row?.['state'] ?? null
  if (state === null) return undefined
  const progress = parsed(String(state))
  if (isRecord(progress) && needed.every((field) => Object.hasOwn(progress, field))) return progress
  throw new UsageError('the state of a job cannot be read in social_search_searches; pass another --out')
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
  if (!existsSync(resolve(path))) return []
  const file = await OpenDatabase.open(path, '--out')
  const { database } = file
  try {
    return await file.run(() => {
      if (!hasTable(database, 'social_search_searches')) return []
      return jobs.map((job) => progressOf(database, job, []))
    })
  } finally {
    file.close()
  }
}
