import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { messageOf } from '../../lib/thrown.ts'
import { CommandError, UsageError } from '../command-errors.ts'
import { importSqlite } from '../sqlite.ts'

/** Commands of one file take turns. What is deleted or replaced is overwritten with zeros. */
const settings = 'PRAGMA busy_timeout = 10000; PRAGMA secure_delete = ON'

/**
 * Opens a file of records. It opens to write even for a reader: that completes what a killed run has begun.
 *
 * @param flag What needs SQLite.
 * @returns undefined if there is none, unless it may be made.
 * @throws {UsageError} for a file that is not a database.
 */
export async function openDatabase(path: string, flag: string): Promise<DatabaseSync | undefined>
export async function openDatabase(path: string, flag: string, mayMake: true): Promise<DatabaseSync>
export async function openDatabase(
  path: string,
  flag: string,
  mayMake = false,
): Promise<DatabaseSync | undefined> {
  const { DatabaseSync } = await importSqlite(flag)
  // An absolute path, since SQLite reads others as a URI.
  const file = resolve(path)
  if (!mayMake && !existsSync(file)) return undefined
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file)
    database.exec(`${settings}; SELECT 1 FROM sqlite_master`)
    if (mayMake) useLog(database)
    return database
  } catch (error) {
    database?.close()
    // Who may not write beside a file cannot use a log there, and without one, the file is all there is. A run ends before it pays.
    if (flag !== '--out' && /readonly/.test(messageOf(error)) && !existsSync(`${file}-wal`))
      return new DatabaseSync(`${pathToFileURL(file).href}?immutable=1`, { readOnly: true })
    if (!/not a database|unable to open/.test(messageOf(error))) throw withPath(path, error)
    throw new UsageError(`${path} is not an SQLite database; pass another file`)
  }
}

/** An error of SQLite, with the name of the file; any other error as it is. */
export function withPath(path: string, error: unknown): unknown {
  if ((error as { code?: unknown } | null)?.code !== 'ERR_SQLITE_ERROR') return error
  return new CommandError('failed', `${path} cannot be used: ${messageOf(error)}`)
}

/** With a write-ahead log, programs that read the file do not keep a run from storing what it has paid for. */
function useLog(database: DatabaseSync): void {
  try {
    database.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = WAL')
  } catch {
    // The file system has no shared memory, or a program has the file open that was made without a log.
  }
  database.exec(settings)
}

/** Runs work in a transaction: all of it is stored, or nothing. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE')
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
