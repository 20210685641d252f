import { type FileLock, NotALock, takeFileLock } from '../../lib/node/file-lock.ts'
import { builtin } from '../../lib/runtime.ts'
import { UsageError, CommandError } from '../command-errors.ts'
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { type Patience, openSqlite, patiently, sqliteCode, sqliteCodes } from '../../lib/sqlite-file.ts'
import { messageOf } from '../../lib/thrown.ts'
import { type RecordTable, allTables } from './tables.ts'
import { isRecord, parsed } from '../../lib/json.ts'
import { textOf } from './searches.ts'

/** Loads `node:sqlite` for a flag. Node 22 warns that its SQLite is experimental; the command does not. */
export function needSqlite(flag: string): void {
  const emitWarning = process.emitWarning.bind(process)
  process.emitWarning = () => {}
  try {
    if (builtin('node:sqlite') !== undefined) return
  } finally {
    process.emitWarning = emitWarning
  }
  throw new UsageError(`${flag} needs Node 22.13 or later; this is Node ${process.versions.node}`)
}

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
    database.exec('PRAGMA secure_delete = ON')
    database.prepare('SELECT 1 FROM sqlite_master').get()
    return database
  } catch (error) {
    database?.close()
    const code = sqliteCode(error)
    // Who may not write beside a file cannot use a log there, and without one, the file is all there is. A run ends before it pays.
    if (flag !== '--out' && code === sqliteCodes.readOnly && !existsSync(`${file}-wal`))
      return openSqlite(`${pathToFileURL(file).href}?immutable=1`, { readOnly: true })
    if (code !== sqliteCodes.notADatabase && code !== sqliteCodes.cannotOpen)
      throw waitMs === undefined ? error : withPath(path, error)
    throw new UsageError(`${path} is not an SQLite database; pass another file`)
  }
}

/** Repeats work on a file while other programs have it; its errors name the file. */
export async function whenFree<T>(path: string, work: () => T, patience?: Patience): Promise<T> {
  try {
    return await patiently(work, patience)
  } catch (error) {
    throw withPath(path, error)
  }
}

/** An error of SQLite, with the name of the file; any other error as it is. */
export function withPath(path: string, error: unknown): unknown {
  if ((error as { code?: unknown } | null)?.code !== 'ERR_SQLITE_ERROR') return error
  return new CommandError('failed', `${path} cannot be used: ${messageOf(error)}`)
}

/** A file of records, and which kinds it has. */
export interface Collection {
  readonly database: DatabaseSync
  readonly tables: readonly RecordTable[]
}

/**
 * Works with a collection.
 *
 * @param command What works with it.
 * @throws {UsageError} if there is no such file, or it has no records.
 */
export async function withCollection<T>(
  path: string,
  command: string,
  work: (collection: Collection) => T | Promise<T>,
): Promise<T> {
  const database = openDatabase(path, command)
  if (database === undefined) throw new UsageError(`${path} does not exist`)
  try {
    const isThere = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
    const tables = allTables().filter(({ name }) => isThere.get(name) !== undefined)
    if (tables.length === 0)
      throw new UsageError(`${path} has no records; --out ${path} of search or watch stores some`)
    return await work({ database, tables })
  } catch (error) {
    throw withPath(path, error)
  } finally {
    database.close()
  }
}

/** How far a job or a watch is. */
export type Progress = Readonly<Record<string, unknown>>

/**
 * @param needed Fields that it must have.
 * @throws {UsageError} if it cannot be read: without it, pages would be paid again.
 */
export function progressOf(
  database: DatabaseSync,
  job: object,
  needed: readonly string[],
): Progress | undefined {
  const row = database.prepare('SELECT state FROM social_search_jobs WHERE job = ?').get(textOf(job))
  if (row === undefined) return undefined
  const progress = parsed(String(row['state']))
  if (isRecord(progress) && needed.every((field) => Object.hasOwn(progress, field))) return progress
  throw new UsageError('a row of social_search_jobs is not the state of a job; pass another --out')
}

/**
 * What earlier runs have stored of jobs, also while another run has their lock; nothing without a file.
 *
 * @throws {UsageError} for a file that is not a database, or whose progress cannot be read.
 */
export function storedProgress(path: string, jobs: readonly object[]): readonly (Progress | undefined)[] {
  const database = openDatabase(path, '--out')
  try {
    const table = database?.prepare("SELECT 1 FROM sqlite_master WHERE name = 'social_search_jobs'").get()
    return table === undefined ? [] : jobs.map((job) => database && progressOf(database, job, []))
  } catch (error) {
    throw withPath(path, error)
  } finally {
    database?.close()
  }
}

/**
 * Lets one run at a time do each job of a file.
 *
 * @param parts Added to the name of each lock, so that different jobs lock one file apart.
 * @throws {UsageError} if no lock can be made, or another run has one of them.
 */
export function lockForRun(path: string, parts: readonly string[] = ['']): FileLock {
  needSqlite('a job')
  const locks: FileLock[] = []
  const release = (): void => {
    for (const lock of locks) lock.release()
  }
  try {
    for (const part of new Set(parts)) {
      const lock = asWritten(path, () => takeFileLock(path, part))
      if (lock === null)
        throw new UsageError(`${path} is in use by another run; wait until it ends, or pass another file`)
      locks.push(lock)
    }
    return { release }
  } catch (error) {
    release()
    if (error instanceof NotALock) throw new UsageError(`${error.message}; rename it, or pass another file`)
    throw error
  }
}

/** @throws {UsageError} if the system does not allow to write the file. */
export function asWritten<Value>(path: string, write: () => Value): Value {
  try {
    return write()
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw new UsageError(`${path} exists; pass --overwrite, or another file`)
    const folder = dirname(resolve(path))
    if (!existsSync(folder))
      throw new UsageError(`${path} cannot be written: the folder ${folder} does not exist; make it first`)
    if (!['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR'].includes(code)) throw error
    throw new UsageError(`${path} cannot be written (${code}); check who may write it, and its folder`)
  }
}
