import type * as Fs from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { builtin } from './runtime.ts'
import { messageOf } from './thrown.ts'
import { sleep } from './time.ts'

/** How long a statement waits for other processes, in milliseconds. This process does nothing else meanwhile. */
const busyMs = 5

/** Longest pause before another attempt, in milliseconds: at first, and when the file has been locked for long. */
const [pauseMs, longPauseMs] = [10, 500]

/** An SQLite file for the processes of one machine, readable by its user only. It is opened when it is first used. */
export class SqliteFile<Prepared> {
  readonly #path: string
  readonly #prepare: (database: DatabaseSync) => Prepared
  readonly #mayBeEmpty: boolean
  readonly #end: (prepared: Prepared) => void
  #opening: Promise<OpenedFile<Prepared>> | undefined

  /**
   * @param prepare Prepares what uses the file. Called again while other processes have it.
   * @param mayBeEmpty Whether a file without a byte is a new one. If not, it has lost what it held.
   * @param end Ends what uses the file.
   */
  constructor(
    path: string,
    prepare: (database: DatabaseSync) => Prepared,
    mayBeEmpty: boolean,
    end: (prepared: Prepared) => void = () => {},
  ) {
    this.#path = path
    this.#prepare = prepare
    this.#end = end
    this.#mayBeEmpty = mayBeEmpty
  }

  /** Works in the file. Tries again while other processes have it; other work of this process goes on in between. */
  async use<T>(work: (prepared: Prepared) => T): Promise<T> {
    for (;;) {
      const opening = (this.#opening ??= this.#open().catch((error: unknown) => {
        this.#opening = undefined
        throw new Error(`${this.#path} cannot be used: ${messageOf(error)}`)
      }))
      const { prepared, identity } = await opening
      const done = await retryWhileLocked(() =>
        identityOf(this.#path) === identity ? { result: work(prepared) } : undefined,
      )
      if (done !== undefined) return done.result
      // Otherwise this process would go on in a file that others do not see, such as after a cleaned folder.
      if (this.#opening === opening) this.close()
    }
  }

  close(): void {
    const closed = this.#opening?.then(({ database, prepared }) => {
      this.#end(prepared)
      database.close()
    })
    closed?.catch(() => {})
    this.#opening = undefined
  }

  async #open(): Promise<OpenedFile<Prepared>> {
    const fs = builtin('node:fs')
    if (fs === undefined) throw new Error('it needs node:sqlite')
    let path = this.#path
    // It is there until SQLite has filled a new file, which a kill or a full disk may leave empty.
    const unfilled = `${path}-new`
    if (path !== ':memory:') {
      if (!fs.existsSync(path)) fs.closeSync(fs.openSync(unfilled, 'a', 0o600))
      // Asked twice: another process may just have filled it.
      else if (!this.#mayBeEmpty && isEmpty(fs, path) && !fs.existsSync(unfilled) && isEmpty(fs, path))
        throw new Error('it is empty, so what it held is lost; delete it to begin anew')
      // Before SQLite opens it. SQLite gives new files beside it the same mode.
      fs.closeSync(fs.openSync(path, 'a', 0o600))
      for (const file of [path, `${path}-wal`, `${path}-shm`])
        try {
          fs.chmodSync(file, 0o600)
        } catch (error) {
          // Another process may just have deleted it.
          if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
        }
      // SQLite may read a relative path as a URI.
      path = fs.realpathSync(path)
    }
    const database = openSqlite(path)
    try {
      const identity = identityOf(path)
      await retryWhileLocked(() => database.exec('PRAGMA journal_mode = WAL'))
      if (isEmpty(fs, unfilled)) fs.rmSync(unfilled, { force: true })
      // Only a power failure can lose changes. To wait for the disk would take longer than all the rest.
      database.exec('PRAGMA synchronous = NORMAL')
      return { database, identity, prepared: await retryWhileLocked(() => this.#prepare(database)) }
    } catch (error) {
      database.close()
      throw error
    }
  }
}

interface OpenedFile<Prepared> {
  readonly database: DatabaseSync
  readonly identity: string | undefined
  readonly prepared: Prepared
}

/** Whether a file is there without a byte: SQLite takes it for a new one. */
function isEmpty(fs: typeof Fs, path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.size === 0
}

/**
 * Opens an SQLite file.
 *
 * @param waitMs How long a statement waits for other processes, while this process does nothing else. Default: next to nothing,
 * for work that {@link retryWhileLocked} repeats.
 */
export function openSqlite(path: string, { waitMs = busyMs, readOnly = false } = {}): DatabaseSync {
  const sqlite = builtin('node:sqlite')
  if (sqlite === undefined) throw new Error('it needs node:sqlite')
  const database = new sqlite.DatabaseSync(path, { readOnly })
  try {
    database.exec(`PRAGMA busy_timeout = ${waitMs}`)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Numbers of errors of SQLite. */
export const sqliteCodes = {
  badSql: 1,
  busy: 5,
  readOnly: 8,
  full: 13,
  cannotOpen: 14,
  protocol: 15,
  constraint: 19,
  notADatabase: 26,
} as const

/** The number of an error of SQLite; undefined for other errors. */
export function sqliteCode(error: unknown): number | undefined {
  const { errcode } = Object(error) as { errcode?: unknown }
  // The higher bits tell details.
  if (typeof errcode === 'number') return errcode & 0xff
  // Deno leaves the number out of errors of `exec()`.
  if (messageOf(error) === 'database is locked') return sqliteCodes.busy
  return messageOf(error) === 'locking protocol' ? sqliteCodes.protocol : undefined
}

/** Whether another program has the file. */
export function isLocked(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === sqliteCodes.busy || code === sqliteCodes.protocol
}

/**
 * Runs work in a transaction: all of it is stored, or nothing.
 *
 * @param lock IMMEDIATE keeps writers out. EXCLUSIVE keeps readers out, too, where they could keep the end of the work from being stored.
 */
export function inTransaction<T>(
  database: DatabaseSync,
  work: () => T,
  lock: 'IMMEDIATE' | 'EXCLUSIVE' = 'IMMEDIATE',
): T {
  database.exec(`BEGIN ${lock}`)
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    // SQLite may have ended the transaction itself, such as on a full disk.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

/** Which file has a name. After it was moved, removed or replaced, SQLite goes on writing to the file that has no name any more. */
export function identityOf(path: string): string | undefined {
  const stat = builtin('node:fs')?.statSync(path, { throwIfNoEntry: false, bigint: true })
  return stat && `${stat.dev} ${stat.ino}`
}

/** How work waits for a file that other processes have locked. */
export interface LockWait {
  /** How long it tries to get the file, in milliseconds; asked again before each attempt. Default 10 seconds. */
  readonly forMs?: () => number
  readonly signal?: AbortSignal
  /** Called once, when other processes have had the file for a second. */
  readonly onWait?: () => void
}

/** Repeats work while other processes have the file. */
export async function retryWhileLocked<T>(
  work: () => T,
  { forMs = () => 10_000, signal, onWait }: LockWait = {},
): Promise<T> {
  const start = performance.now()
  for (let isTold = false; ;) {
    try {
      return work()
    } catch (error) {
      const ms = performance.now() - start
      if (!isLocked(error) || ms > forMs()) throw error
      if (ms > 1000 && !isTold) onWait?.()
      isTold ||= ms > 1000
      await sleep(1 + Math.random() * Math.min(longPauseMs, Math.max(pauseMs, ms / 20)), signal)
    }
  }
}
