import type { DatabaseSync } from 'node:sqlite'
import { assertSqlite, nonEmptyText } from '../../../errors/check-options.ts'
import { SqliteFile, inTransaction } from '../../../lib/sqlite-file.ts'
import type { ChangeText, SharedStore } from '../store.ts'
import { SqliteNotices } from './sqlite-notices.ts'

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
  assertSqlite('sqliteStore()')
  const file = new SqliteFile(
    path,
    (database) => new SqliteTexts(database),
    false,
    ({ notices }) => notices.stop(),
  )
  return {
    update: (key, change) => file.use((texts) => texts.update(key, change)),
    watch(key, listener) {
      const watching = file.use(({ notices }) => notices.watch(key, listener))
      watching.catch(() => {})
      return () => void watching.then((end) => end()).catch(() => {})
    },
    close: () => file.close(),
  }
}

/** The texts of a file, and their notices. */
class SqliteTexts {
  readonly notices: SqliteNotices
  readonly #database: DatabaseSync
  /** Texts that may be forgotten. Their changes do not wait for the disk: a power failure may lose them. */
  readonly #forgettable = new Set<string>()
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
    this.#database.exec(`PRAGMA synchronous = ${this.#forgettable.has(key) ? 'NORMAL' : 'FULL'}`)
    return inTransaction(this.#database, () => {
      const text = this.#read.get(key)?.['value'] as string | undefined
      const { value, notice, keepMs, result } = change(text, Date.now(), readAt)
      if (keepMs !== undefined) this.#forgettable.add(key)
      if (value !== undefined) this.#write.run(key, value)
      if (notice !== undefined) this.notices.add(key, notice)
      return result
    })
  }
}
