import type { DatabaseSync } from 'node:sqlite'
import { nonEmptyText } from '../../../errors/check-options.ts'
import { ConfigurationError } from '../../../errors/index.ts'
import { builtin } from '../../../lib/builtin.ts'
import { messageOf } from '../../../lib/thrown.ts'
import { sleep } from '../../../lib/time.ts'
import type { ChangeText, SharedStore } from '../store.ts'
import { SqliteNotices } from './sqlite-notices.ts'

/** How long a statement waits for other processes, in milliseconds. This process does nothing else meanwhile. */
const busyMs = 5

/** Longest pause before another attempt, in milliseconds. */
const pauseMs = 10

/** How long an update tries to get the file, in milliseconds. */
const patienceMs = 10_000

/**
 * A store in an SQLite file, for the processes of one machine, readable by your user only. Needs Node 22.13 or later.
 *
 * @example
 * const store = sqliteStore('shared.sqlite')
 * const budget = new SharedBudget({ store, name: 'all jobs', limit: 200, every: 'day' })
 * @throws {ConfigurationError} for an invalid path, or without `node:sqlite`.
 */
export function sqliteStore(path: string): SharedStore & { close(): void } {
  nonEmptyText('path', path)
  const [sqlite, fs] = [builtin('node:sqlite'), builtin('node:fs')]
  if (sqlite === undefined || fs === undefined)
    throw new ConfigurationError('sqliteStore() needs node:sqlite, which Node has from version 22.13')
  const open = async (): Promise<SqliteFile> => {
    // Before SQLite opens it. SQLite gives the files beside it the same mode.
    fs.closeSync(fs.openSync(path, 'a', 0o600))
    fs.chmodSync(path, 0o600)
    // SQLite may read a relative path as a URI.
    const database = new sqlite.DatabaseSync(fs.realpathSync(path))
    try {
      database.exec(`PRAGMA busy_timeout = ${busyMs}`)
      await patiently(() => database.exec('PRAGMA journal_mode = WAL'))
      // Only a power failure can lose changes. To wait for the disk would take longer than all the rest.
      database.exec('PRAGMA synchronous = NORMAL')
      return await patiently(() => new SqliteFile(database))
    } catch (error) {
      database.close()
      throw error
    }
  }
  let opening: Promise<SqliteFile> | undefined
  const opened = (): Promise<SqliteFile> =>
    (opening ??= open().catch((error: unknown) => {
      opening = undefined
      throw new Error(`${path} cannot be used: ${messageOf(error)}`)
    }))
  return {
    async update(key, change) {
      const file = await opened()
      return patiently(() => file.update(key, change))
    },
    watch(key, listener) {
      const watching = opened().then(({ notices }) => notices.watch(key, listener))
      watching.catch(() => {})
      return () => void watching.then((end) => end()).catch(() => {})
    },
    close: () => void opening?.then((file) => file.close()).catch(() => {}),
  }
}

/** Tries again while other processes have the file. Other work of this process goes on in between. */
async function patiently<T>(work: () => T): Promise<T> {
  const end = performance.now() + patienceMs
  for (;;) {
    try {
      return work()
    } catch (error) {
      const isBusy = /^(database is locked|locking protocol)$/.test(messageOf(error))
      if (!isBusy || performance.now() > end) throw error
      await sleep(1 + Math.random() * (pauseMs - 1))
    }
  }
}

/** An open file with texts and notices. */
class SqliteFile {
  readonly notices: SqliteNotices
  readonly #database: DatabaseSync
  readonly #read
  readonly #write

  constructor(database: DatabaseSync) {
    this.#database = database
    database.exec('CREATE TABLE IF NOT EXISTS texts (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT')
    database.exec(SqliteNotices.table)
    this.#read = database.prepare('SELECT value FROM texts WHERE key = ?')
    this.#write = database.prepare('INSERT OR REPLACE INTO texts VALUES (?, ?)')
    this.notices = new SqliteNotices(database)
  }

  update<T>(key: string, change: ChangeText<T>): T {
    const readAt = performance.now()
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      const text = this.#read.get(key)?.['value'] as string | undefined
      const { value, notice, result } = change(text, Date.now(), readAt)
      if (value !== undefined) this.#write.run(key, value)
      if (notice !== undefined) this.notices.add(key, notice)
      this.#database.exec('COMMIT')
      return result
    } catch (error) {
      // SQLite may have ended the transaction itself, such as on a full disk.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
      throw error
    }
  }

  close(): void {
    this.notices.stop()
    this.#database.close()
  }
}
