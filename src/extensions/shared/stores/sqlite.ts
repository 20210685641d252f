// A text is a row, which a transaction changes. Messages are rows, too, for which each process that watches polls.

import type { DatabaseSync } from 'node:sqlite'
import { assertSqlite, nonEmptyText } from '../../../errors/check-options.ts'
import { SqliteFile, inTransaction } from '../../../lib/sqlite-file.ts'
import { type ChangeText, type SharedStore, Listeners } from '../store.ts'

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
  // They outlive the file: after it was removed, the next one has its messages.
  const listeners = new Listeners()
  const file = new SqliteFile(
    path,
    (database) => new SqliteTexts(database, listeners),
    false,
    (texts) => texts.stop(),
  )
  return {
    update: (key, change) => file.use((texts) => texts.update(key, change)),
    watch(key, listener) {
      const end = listeners.add(key, listener)
      file.use((texts) => texts.start()).catch(() => {})
      return end
    },
    close() {
      listeners.clear()
      file.close()
    },
  }
}

/** How often a process polls whether another one has written, in milliseconds: when it may wait for that, and when it is idle. */
const [pollMs, idlePollMs] = [10, 1000]

/** When a process is idle, in milliseconds after its latest update: a limiter that waits or has a slot updates more often. */
const idleAfterMs = 10_000

/** How many messages the file keeps: more than come between two polls. */
const keptMessages = 1000

/** The messages are in the table `notices`, which has the names of the first version. */
const tables = `
  CREATE TABLE IF NOT EXISTS texts (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS notices (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, notice TEXT NOT NULL) STRICT`

/** The texts of a file, and the messages about them. A process that watches polls for those of others. */
class SqliteTexts {
  readonly #database: DatabaseSync
  readonly #listeners: Listeners
  /** Texts that may be forgotten. Their changes do not wait for the disk: a power failure may lose them. */
  readonly #forgettable = new Set<string>()
  readonly #read
  readonly #write
  readonly #send
  readonly #forget
  readonly #latest
  readonly #later
  #timer: ReturnType<typeof setTimeout> | undefined
  #idleAt = 0
  #seenId = 0

  constructor(database: DatabaseSync, listeners: Listeners) {
    this.#database = database
    this.#listeners = listeners
    database.exec(tables)
    this.#read = database.prepare('SELECT value FROM texts WHERE key = ?')
    this.#write = database.prepare('INSERT OR REPLACE INTO texts VALUES (?, ?)')
    this.#send = database.prepare('INSERT INTO notices (key, notice) VALUES (?, ?)')
    this.#forget = database.prepare('DELETE FROM notices WHERE id <= ?')
    this.#latest = database.prepare('SELECT max(id) AS id FROM notices')
    this.#later = database.prepare('SELECT id, key, notice FROM notices WHERE id > ? ORDER BY id')
    if (listeners.size > 0) this.start()
  }

  update<T>(key: string, change: ChangeText<T>): T {
    const readAt = performance.now()
    this.#pollOften()
    this.#database.exec(`PRAGMA synchronous = ${this.#forgettable.has(key) ? 'NORMAL' : 'FULL'}`)
    return inTransaction(this.#database, () => {
      const text = this.#read.get(key)?.['value'] as string | undefined
      const { value, message, ttlMs, result } = change(text, Date.now(), readAt)
      if (ttlMs !== undefined) this.#forgettable.add(key)
      if (value === undefined) return result
      this.#write.run(key, value)
      if (message !== undefined)
        this.#forget.run(Number(this.#send.run(key, message).lastInsertRowid) - keptMessages)
      return result
    })
  }

  /** Polls for messages until nobody watches any more. */
  start(): void {
    this.#pollOften()
    if (this.#timer !== undefined) return
    this.#seenId = Number(this.#latest.get()?.['id'])
    this.#pollIn(pollMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** Polls often for a while, since this process may wait for a message. */
  #pollOften(): void {
    const wasIdle = this.#isIdle
    this.#idleAt = performance.now() + idleAfterMs
    if (wasIdle && this.#timer !== undefined) this.#pollIn(pollMs)
  }

  get #isIdle(): boolean {
    return performance.now() >= this.#idleAt
  }

  #pollIn(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#poll(), ms)
    // A process that only watches may end.
    this.#timer.unref()
  }

  #poll(): void {
    if (this.#listeners.size === 0) {
      this.stop()
      return
    }
    this.#pollIn(this.#isIdle ? idlePollMs : pollMs)
    try {
      for (const { id, key, notice } of this.#later.all(this.#seenId)) {
        this.#seenId = Number(id)
        this.#listeners.notify(String(key), String(notice))
      }
    } catch {
      // Another process has the file. The next poll finds the same.
    }
  }
}
