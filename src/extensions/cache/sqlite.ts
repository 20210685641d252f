import type { DatabaseSync } from 'node:sqlite'
import { assertSqlite } from '../../errors/check-options.ts'
import { SqliteFile } from '../../lib/sqlite-file.ts'
import type { CacheStore } from './store.ts'

/**
 * Keeps answers in an SQLite file that processes of one machine can share, readable by your user only. Needs Node 22.13 or
 * later.
 *
 * @example
 * const store = sqliteCacheStore('answers.sqlite')
 * const cache = new ResultCache({ store, maxAge: 3_600_000 })
 * @throws {ConfigurationError} without `node:sqlite`.
 */
export function sqliteCacheStore(path: string): Required<CacheStore> & { close(): void } {
  assertSqlite('sqliteCacheStore()')
  const file = new SqliteFile(path, prepare, true)
  return {
    get: (key) => file.use(({ get }) => get.get(key, Date.now())?.['value']),
    set: (key, value, maxAge) =>
      file.use(({ expire, set }) => {
        expire.run(Date.now())
        set.run(key, value, Math.ceil(Date.now() + maxAge))
      }),
    delete: (key) => file.use((answers) => answers.delete.run(key)),
    clear: () => file.use(({ clear }) => clear.run()),
    close: () => file.close(),
  }
}

function prepare(database: DatabaseSync) {
  database.exec(`CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, value TEXT NOT NULL, expires INTEGER NOT NULL) STRICT;
    CREATE INDEX IF NOT EXISTS answers_expires ON answers (expires)`)
  const insert = 'INSERT INTO answers VALUES (?, ?, ?) ON CONFLICT (key)'
  return {
    get: database.prepare('SELECT value FROM answers WHERE key = ? AND expires > ?'),
    set: database.prepare(`${insert} DO UPDATE SET value = excluded.value, expires = excluded.expires`),
    delete: database.prepare('DELETE FROM answers WHERE key = ?'),
    clear: database.prepare('DELETE FROM answers'),
    expire: database.prepare('DELETE FROM answers WHERE expires <= ?'),
  }
}
