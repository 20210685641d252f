import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { openSqlite } from '../../lib/sqlite-file.ts'
import { messageOf } from '../../lib/thrown.ts'
import { CommandError, UsageError } from '../command-errors.ts'
import { needSqlite } from '../sqlite.ts'

/** How long a command waits for a file, in milliseconds. A run waits in another way, since it has more to do. */
const waitMs = 10_000

/**
 * Opens a file of records. It opens to write even for a reader: that completes what a killed run has begun.
 *
 * @param flag What needs SQLite.
 * @returns undefined if there is none.
 * @throws {UsageError} for a file that is not a database.
 */
export function openDatabase(path: string, flag: string): DatabaseSync | undefined {
  needSqlite(flag)
  return existsSync(resolve(path)) ? open(path, flag, waitMs) : undefined
}

/** Opens a file of records for a run, or makes one. Its work repeats while other processes have the file. */
export function openForRun(path: string): DatabaseSync {
  needSqlite('--out')
  const database = open(path, '--out')
  try {
    // With a write-ahead log, programs that read the file do not keep a run from storing what it has paid for.
    database.exec('PRAGMA journal_mode = WAL')
  } catch {
    // The file system has no shared memory, or a program has the file open that was made without a log.
  }
  return database
}

function open(path: string, flag: string, waitMs?: number): DatabaseSync {
  // An absolute path, since SQLite reads others as a URI.
  const file = resolve(path)
  let database: DatabaseSync | undefined
  try {
    database = openSqlite(file, waitMs === undefined ? {} : { waitMs })
    // What is deleted or replaced is overwritten with zeros.
    database.exec('PRAGMA secure_delete = ON; SELECT 1 FROM sqlite_master')
    return database
  } catch (error) {
    database?.close()
    const message = messageOf(error)
    // Who may not write beside a file cannot use a log there, and without one, the file is all there is. A run ends before it pays.
    if (flag !== '--out' && message.includes('readonly') && !existsSync(`${file}-wal`))
      return openSqlite(`${pathToFileURL(file).href}?immutable=1`, { readOnly: true })
    if (!/not a database|unable to open/.test(message)) throw waitMs === undefined ? error : withPath(path, error)
    throw new UsageError(`${path} is not an SQLite database; pass another file`)
  }
}

/** An error of SQLite, with the name of the file; any other error as it is. */
export function withPath(path: string, error: unknown): unknown {
  if ((error as { code?: unknown } | null)?.code !== 'ERR_SQLITE_ERROR') return error
  return new CommandError('failed', `${path} cannot be used: ${messageOf(error)}`)
}
