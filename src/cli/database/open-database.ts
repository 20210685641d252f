/**
 * How commands get at posts.db: a run waits for as long as other programs have it, a reader only a little, and either upgrades it first.
 * Whatever keeps them out is said in words that name the file.
 */
import { type FileLock, NotALock, takeFileLock } from '../../lib/node/file-lock.ts'
import { builtin } from '../../lib/runtime.ts'
import { UsageError, CommandError } from '../command-errors.ts'
import { say } from '../terminal.ts'
import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import {
  type Patience,
  isLocked,
  openSqlite,
  patiently,
  sqliteCode,
  sqliteCodes,
} from '../../lib/sqlite-file.ts'
import { messageOf } from '../../lib/thrown.ts'
import { parseTime } from '../../lib/time.ts'
import { assertReadable, claim, upgrade } from './upgrades.ts'
import { type RecordTable, tablesIn } from './tables.ts'

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

/**
 * Opens a file of records. It opens to write even for a reader: that completes what a killed run has begun, and upgrades the file.
 *
 * @param command What works with it.
 * @returns undefined if there is none.
 * @throws {UsageError} for a file that is not of this program, or that cannot be read.
 */
export async function openDatabase(
  path: string,
  command: string,
  patience?: Patience,
): Promise<DatabaseSync | undefined> {
  needSqlite(command)
  const file = resolve(path)
  if (!existsSync(file)) return undefined
  return whenFree(path, () => upgraded(openEvenReadOnly(file, path), path), patience)
}

function upgraded(database: DatabaseSync, path: string): DatabaseSync {
  try {
    assertReadable(database, path)
    upgrade(database, path)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Opens a file of records for a run, or makes one. Its work repeats while other processes have the file. */
export function openForRun(path: string): DatabaseSync {
  needSqlite('--out')
  const file = resolve(path)
  let database: DatabaseSync | undefined
  try {
    database = opened(file)
    assertReadable(database, path)
    claim(database, path)
    upgrade(database, path)
  } catch (error) {
    database?.close()
    throw refusalOf(file, path, error)
  }
  try {
    // With a write-ahead log, programs that read the file do not keep a run from storing what it has paid for.
    database.exec('PRAGMA journal_mode = WAL')
  } catch {
    // The file system has no shared memory, or a program has the file open that was made without a log.
  }
  return database
}

/** @param file An absolute path, since SQLite reads others as a URI. */
function opened(file: string, options?: { readOnly?: boolean }): DatabaseSync {
  const database = openSqlite(file, options)
  try {
    // What is deleted or replaced is overwritten with zeros.
    database.exec('PRAGMA secure_delete = ON')
    database.prepare('SELECT 1 FROM sqlite_master').get()
    // SQLite's own functions read other times than watches and exports do: not `+0000`, but February 29 of any year.
    database.function('time_of', { deterministic: true }, (text) => {
      const time = parseTime(text)
      return Number.isNaN(time) ? null : time
    })
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Opens a file, also where nothing can be written. A log needs a file beside it; without a log, the file is all there is. */
function openEvenReadOnly(file: string, path: string): DatabaseSync {
  try {
    return opened(file)
  } catch (error) {
    const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
    const shut: readonly unknown[] = [sqliteCodes.readOnly, sqliteCodes.cannotOpen]
    if (!shut.includes(sqliteCode(error)) || hasLog) throw refusalOf(file, path, error)
  }
  try {
    return opened(`${pathToFileURL(file).href}?immutable=1`, { readOnly: true })
  } catch (error) {
    throw refusalOf(file, path, error)
  }
}

/** Why a file cannot be used, in words that name it; the error itself while other programs have the file. */
function refusalOf(file: string, path: string, error: unknown): unknown {
  if (isLocked(error)) return error
  const code = sqliteCode(error)
  const isFile = statSync(file, { throwIfNoEntry: false })?.isFile()
  if (code === sqliteCodes.notADatabase || isFile === false)
    return new UsageError(`${path} is not an SQLite database; pass another file`)
  if (code !== sqliteCodes.cannotOpen) return withPath(path, error)
  if (isFile === true && !mayRead(file))
    return new UsageError(`${path} cannot be read; check who may read it`)
  const reason = existsSync(`${file}-wal`) ? `, and its last pages are in ${path}-wal` : ''
  return new UsageError(
    `${path} cannot be used: nothing can be written in its folder${reason}; copy it to another folder`,
  )
}

function mayRead(file: string): boolean {
  try {
    closeSync(openSync(file, 'r'))
    return true
  } catch {
    return false
  }
}

/** Waits for a file for as long as other programs have it, and says so. */
export function untilFree(path: string): Patience {
  const onWait = (): void => say(`${path} is locked by another program; waiting until it is free`)
  return { forMs: Infinity, onWait }
}

/** Repeats work on a file while other programs have it; its errors name the file. */
export async function whenFree<T>(path: string, work: () => T, patience?: Patience): Promise<T> {
  try {
    return await patiently(work, patience)
  } catch (error) {
    throw withPath(path, error)
  }
}

const reasons: ReadonlyMap<number, string> = new Map([
  [sqliteCodes.readOnly, 'it may not be written; check who may write it, and its folder'],
  [sqliteCodes.busy, 'another program has locked it'],
  [sqliteCodes.full, 'the disk is full'],
])

/** An error of SQLite, with the name of the file; any other error as it is. */
export function withPath(path: string, error: unknown): unknown {
  if ((error as { code?: unknown } | null)?.code !== 'ERR_SQLITE_ERROR') return error
  const code = sqliteCode(error) ?? 0
  const said = messageOf(error)
  // Tables of records have no constraint that a record could break.
  const refused = `a trigger, index or reference that you added refuses the change (${said})`
  const reason = code === sqliteCodes.constraint ? refused : (reasons.get(code) ?? said)
  return new CommandError('failed', `${path} cannot be used: ${reason}`)
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
  const database = await openDatabase(path, command)
  if (database === undefined) throw new UsageError(`${path} does not exist`)
  try {
    const tables = await whenFree(path, () => tablesIn(database))
    if (tables.length === 0)
      throw new UsageError(`${path} has no records; --out ${path} of search or watch stores some`)
    return await work({ database, tables })
  } catch (error) {
    throw withPath(path, error)
  } finally {
    database.close()
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

/** @throws {CommandError} if the system does not allow to write the file. */
export function asWritten<Value>(path: string, write: () => Value): Value {
  try {
    return write()
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw new CommandError('failed', `${path} cannot be written: the disk is full`)
    if (code === 'EEXIST') throw new UsageError(`${path} exists; pass --overwrite, or another file`)
    const folder = dirname(resolve(path))
    if (!existsSync(folder))
      throw new UsageError(`${path} cannot be written: the folder ${folder} does not exist; make it first`)
    if (!['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EBUSY'].includes(code)) throw error
    throw new UsageError(`${path} cannot be written (${code}); check who may write it, and its folder`)
  }
}
