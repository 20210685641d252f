import type { DatabaseSync } from 'node:sqlite'

/** How often a process looks whether another one has written, in milliseconds. */
const lookMs = 10

/** How many notices the file keeps: more than come between two looks. */
const kept = 1000

type Listener = (notice?: string) => void

/** Notices in a table. A process that watches looks for those of others. */
export class SqliteNotices {
  static readonly table =
    'CREATE TABLE IF NOT EXISTS notices (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, notice TEXT NOT NULL) STRICT'
  readonly #insert
  readonly #forget
  readonly #latest
  readonly #later
  /** Changes when another connection has written. Reading it reads no page of the file. */
  readonly #version
  readonly #listeners = new Set<{ readonly key: string; readonly listener: Listener }>()
  #timer: ReturnType<typeof setInterval> | undefined
  #seenId = 0
  #seenVersion: unknown

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare('INSERT INTO notices (key, notice) VALUES (?, ?)')
    this.#forget = database.prepare('DELETE FROM notices WHERE id <= ?')
    this.#latest = database.prepare('SELECT max(id) AS id FROM notices')
    this.#later = database.prepare('SELECT id, key, notice FROM notices WHERE id > ? ORDER BY id')
    this.#version = database.prepare('PRAGMA data_version')
  }

  /** Adds a notice in the transaction of its text. */
  add(key: string, notice: string): void {
    this.#forget.run(Number(this.#insert.run(key, notice).lastInsertRowid) - kept)
    // Its own writes do not change the version.
    this.#seenVersion = undefined
  }

  /** Returns a function that ends it. */
  watch(key: string, listener: Listener): () => void {
    const entry = { key, listener }
    if (this.#listeners.size === 0) {
      this.#seenId = Number(this.#latest.get()?.['id'])
      this.#timer = setInterval(() => this.#look(), lookMs)
      // A process that only watches may end.
      this.#timer.unref()
    }
    this.#listeners.add(entry)
    return () => {
      this.#listeners.delete(entry)
      if (this.#listeners.size === 0) this.stop()
    }
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#listeners.clear()
  }

  #look(): void {
    try {
      const version = this.#version.get()?.['data_version']
      if (version === this.#seenVersion) return
      const rows = this.#later.all(this.#seenId)
      this.#seenVersion = version
      for (const { id, key, notice } of rows) {
        this.#seenId = Number(id)
        for (const each of [...this.#listeners]) if (each.key === key) each.listener(String(notice))
      }
    } catch {
      // Another process has the file. The next look finds the same.
    }
  }
}
