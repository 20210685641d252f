import type { DatabaseSync } from 'node:sqlite'
import { ConfigurationError } from '../../errors/index.ts'
import { builtin } from '../../lib/builtin.ts'
import { messageOf } from '../../lib/thrown.ts'
import type { CacheStore } from './store.ts'

/** How long it waits for other processes, in milliseconds. */
const busyMs = 900

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
  const sqlite = builtin('node:sqlite')
  if (sqlite === undefined)
    throw new ConfigurationError('sqliteCacheStore() needs node:sqlite, which Node has from version 22.13')
  const location = path === ':memory:' ? path : protect(path)
  const database = opened(() => new sqlite.DatabaseSync(location))
  const insert = 'INSERT INTO answers VALUES (?, ?, ?) ON CONFLICT (key)'
  const statements = {
    get: database.prepare('SELECT value FROM answers WHERE key = ? AND expires > ?'),
    set: database.prepare(`${insert} DO UPDATE SET value = excluded.value, expires = excluded.expires`),
    delete: database.prepare('DELETE FROM answers WHERE key = ?'),
    expire: database.prepare('DELETE FROM answers WHERE expires <= ?'),
  }
  return {
    get: (key) => statements.get.get(key, Date.now())?.['value'],
    set: (key, value, maxAge) => {
      statements.expire.run(Date.now())
      statements.set.run(key, value, Math.ceil(Date.now() + maxAge))
    },
    delete: (key) => void statements.delete.run(key),
    clear: () => database.exec('DELETE FROM answers'),
    close: () => database.close(),
  }
}

function opened(open: () => DatabaseSync): DatabaseSync {
  const end = performance.now() + busyMs
  for (;;) {
    const database = open()
    try {
      database.exec(`PRAGMA busy_timeout = ${busyMs}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
        CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, value TEXT NOT NULL, expires INTEGER NOT NULL) STRICT;
        CREATE INDEX IF NOT EXISTS answers_expires ON answers (expires)`)
      return database
    } catch (error) {
      database.close()
      // SQLite does not wait while another process begins or ends its use of the file.
      if (!/locked/.test(messageOf(error)) || performance.now() > end) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
  }
}

/**
 * Makes a file that only its user may read, before SQLite opens it. SQLite gives new files beside it the same mode.
 *
 * @returns its absolute path, since SQLite may read a relative one as a URI.
 */
function protect(path: string): string {
  const fs = builtin('node:fs')
  if (fs === undefined) return path
  fs.closeSync(fs.openSync(path, 'a', 0o600))
  for (const file of [path, `${path}-wal`, `${path}-shm`])
    try {
      fs.chmodSync(file, 0o600)
    } catch (error) {
      // Another process may just have deleted it.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  return fs.realpathSync(path)
}
