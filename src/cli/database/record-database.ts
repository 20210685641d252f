/**
 * A run and its posts.db. Before a call is sent, the file has a row with the most that it may cost, and once it has ended, with what it
 * has cost: so a kill at any moment never leaves less than was charged. Then one transaction stores the records of its page, how far the
 * job is, and what is missing. `schema.ts` has the tables, `record-writer.ts` writes a record, `searches.ts` what was searched, its gaps
 * and its costs.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Operation } from '../../api/operation.ts'
import type { Call, Answer, Send } from '../../extend.ts'
import type { Budget } from '../../index.ts'
import type { FileLock } from '../../lib/node/file-lock.ts'
import { shallow } from '../../lib/json.ts'
import { type LockWait, identityOf, inTransaction } from '../../lib/sqlite-file.ts'
import { CommandError, UsageError } from '../command-errors.ts'
import { toStderr } from '../terminal.ts'
import { forgetIn, remainsText } from './forget.ts'
import { type OpenDatabase, lockForRun, openDatabase } from './open-database.ts'
import { RecordWriter, hashOf, sqliteTime } from './record-writer.ts'
import { createTables, currentFormat } from './schema.ts'
import { SearchWriter, partsOf, progressOf } from './searches.ts'
import { SeenRecords } from './seen-records.ts'
import { hasTable, tableOf } from './tables.ts'

export interface RecordDatabaseOptions {
  readonly operation: Operation
  /** What the run searches: `{ operation: 'microblog.search', params }`. Each tells a search from the others of the file. */
  readonly searchKeys: readonly object[]
  /** Records that were published longer ago, in milliseconds, are forgotten. */
  readonly maxAge?: number | undefined
  /** How long it waits for other programs that have the file. */
  readonly lockWait?: LockWait
  /** Whether its records and their credits are made up. */
  readonly sandbox?: boolean | undefined
  /** What costs are counted under. */
  readonly label?: string | undefined
}

/** How often a run looks for old records to forget, in milliseconds. */
const forgetEveryMs = 3_600_000

/** Records of a page that is paid for, and what the file keeps with them. */
export interface StoredPage {
  readonly searchKey: object
  /** How far the search is now. */
  readonly progress: object
  readonly records: readonly unknown[]
  /** Records of the page that a watch has found before: their rows are updated. */
  readonly known?: readonly unknown[]
  /** Whether it stores the end of a check that has failed. */
  readonly hasFailed?: boolean
}

/** An SQLite file with a table for each kind of record. Runs with different searches may write it at the same time. */
export class RecordDatabase {
  readonly #file: OpenDatabase
  readonly #identity: string | undefined
  readonly #lock: FileLock
  /** Of the kinds of records that the run writes, by their operations. */
  readonly #writers = new Map<string, RecordWriter>()
  readonly #searches: SearchWriter
  readonly #seen: SeenRecords
  readonly #options: RecordDatabaseOptions
  #forgotAt = -Infinity
  /** When the last answer came: until it is checked and stored, another process may store a later one. */
  #answeredAt: Date | undefined
  /** What to add to `performance.now()` for the time at the service; undefined until there is an answer. */
  #serviceClock: number | undefined

  private constructor(file: OpenDatabase, lock: FileLock, options: RecordDatabaseOptions) {
    const { path, database } = file
    this.#options = options
    this.#file = file
    this.#identity = identityOf(path)
    this.#lock = lock
    assertSource(path, database, options.sandbox === true)
    this.#prepareFor(options.operation)
    this.#searches = new SearchWriter(database)
    this.#seen = new SeenRecords(database)
  }

  /** @throws {UsageError} for a file that is not a database, or that another run of the same searches writes. */
  static async open(path: string, options: RecordDatabaseOptions): Promise<RecordDatabase> {
    // Each search has a lock of its own, so that runs with different lists do not pay for the same one.
    const lock = lockForRun(
      path,
      options.searchKeys.map((searchKey) => `.${hashOf(searchKey).slice(0, 12)}`).sort(),
    )
    let file: OpenDatabase | undefined
    try {
      const opened = (file = await openDatabase(path, '--out', options.lockWait))
      return await opened.run(() => new RecordDatabase(opened, lock, options))
    } catch (error) {
      file?.close()
      lock.release()
      throw error
    }
  }

  /** As {@link progressOf}. */
  progressOf(searchKey: object): Promise<ReturnType<typeof progressOf>> {
    return this.#file.run(() => progressOf(this.#file.database, searchKey))
  }

  /**
   * Sends a call once the file has what it may cost, so that a kill cannot hide that, and once nothing keeps the file from taking what
   * the call brings. The call waits for the file before it queues: when its turn comes, others wait for its slot.
   */
  async send(send: Send, call: Call, searchKey: object): Promise<Answer> {
    const { settings, operation } = call
    await this.assertWritable(operation)
    const noteCost = this.#searches.purchase(searchKey, this.#options.label)
    let notes = 0
    /** @param reserved What the call may cost in addition: a process that is killed cannot tell. */
    const write = (reserved: number, lockWait?: LockWait): Promise<void> =>
      this.#file.run(() => {
        this.#assertThere()
        const { spent, uncertain } = call.record.credits
        noteCost(spent, uncertain + reserved)
        notes++
      }, lockWait)
    const ended = new AbortController()
    // A budget without a limit has the cost written down before each attempt, which is not sent if that fails. It is the last one: what
    // another one refuses is not written.
    const renew = (credits: number) => () => write(credits, { signal: ended.signal })
    const noted: Budget = { reserve: (credits) => ({ renew: renew(credits), settle: () => {} }) }
    try {
      const result = await send({ ...call, settings: { ...settings, budget: [...settings.budget, noted] } })
      const time = Date.parse(result.response.headers.get('date') ?? '')
      // An answer need not have one: the sandbox's do not.
      this.#serviceClock = (Number.isFinite(time) ? time : Date.now()) - performance.now()
      return result
    } finally {
      const { sent = null, duration = 0 } = call.record.attempts.at(-1) ?? {}
      if (sent !== null) this.#answeredAt = new Date(Date.parse(sent) + duration)
      // Of a call that has ended, nothing more is reserved once the file is free.
      ended.abort()
      // If it fails, the file still has the highest cost.
      if (notes > 0) await write(0).catch(() => {})
    }
  }

  /**
   * Stores a page and the progress of its search, or nothing. The row of a known record is updated.
   *
   * @returns how many of the records are new.
   * @throws if the file cannot be written, so that a job ends before it buys a page that it could not store.
   */
  storePage(page: StoredPage): Promise<number> {
    return this.#file.run(() => this.#store(page))
  }

  #store({ searchKey, progress, records, known = [], hasFailed }: StoredPage): number {
    const time = sqliteTime(this.#answeredAt ?? new Date())
    this.#assertThere()
    const { operation } = partsOf(searchKey)
    const writer = operation && this.#prepareFor(operation)
    return inTransaction(this.#file.database, () => {
      let added = 0
      const search = this.#searches.numberOf(searchKey)
      if (writer !== undefined) {
        for (const record of records.map(shallow)) {
          const row = writer.update(record, time)
          if (row !== undefined) this.#searches.addResult(search, row, false)
          else if (this.#seen.admits(writer.table, writer.keyOf(record), record)) {
            this.#searches.addResult(search, writer.add(record, time), true)
            added++
          }
        }
        for (const record of known) writer.update(record, time)
        if (hasFailed !== true) this.#searches.checked(search, time)
      }
      this.#searches.setProgress(search, progress)
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
   * Forgets once an hour what is older than `maxAge`, by the clock of the service or that of this machine, whichever is behind: a wrong
   * one must not forget them all. Without an answer, it forgets nothing. Others can write in between.
   */
  async forgetOld(): Promise<void> {
    const at = performance.now()
    const { maxAge } = this.#options
    if (maxAge === undefined || this.#serviceClock === undefined) return
    if (at - this.#forgotAt < forgetEveryMs) return
    this.#forgotAt = at
    const tables = [...this.#writers.values()].map(({ table }) => table)
    const before = Math.min(Date.now(), this.#serviceClock + at) - maxAge
    const { isClean } = await forgetIn(this.#file, tables, { before })
    if (!isClean) toStderr(remainsText(this.#file.path))
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
  #prepareFor(operation: Operation): RecordWriter | undefined {
    const known = this.#writers.get(operation.id)
    if (known !== undefined || operation.list === undefined) return known
    const { database } = this.#file
    const table = tableOf(operation)
    inTransaction(database, () => createTables(database, table))
    const writer = new RecordWriter(database, table)
    this.#writers.set(operation.id, writer)
    return writer
  }
}

/** @throws {UsageError} for a file of the other kind: who reads it could not tell made-up posts from real ones. */
function assertSource(path: string, database: DatabaseSync, sandbox: boolean): void {
  const other = `SELECT 1 FROM social_search_searches WHERE json_valid(job) AND (job -> '$.sandbox' IS NOT NULL) <> ?`
  const isNew = !hasTable(database, 'social_search_searches')
  if (isNew || database.prepare(other).get(Number(sandbox)) === undefined) return
  const had = sandbox ? 'what the service returned' : 'made-up records of --sandbox'
  throw new UsageError(`${path} has ${had}; pass another file`)
}
