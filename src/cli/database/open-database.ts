/**
 * How commands get at posts.db: a run waits for as long as other programs have it, a reader only a little. Errors of
 * SQLite become ones that name the file.
 */
import { type FileLock, NotALock, takeFileLock } from '../../lib/node/file-lock.ts'
import { builtin } from '../../lib/runtime.ts'
import { UsageError, CommandError } from '../command-errors.ts'
import { toStderr } from '../terminal.ts'
import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import {
  type LockWait,
  openSqlite,
  retryWhileLocked,
  sqliteCode,
  sqliteCodes,
} from '../../lib/sqlite-file.ts'
import { messageOf } from '../../lib/thrown.ts'
import { parseTime } from '../../lib/time.ts'
import { type RecordTable, tablesIn } from './tables.ts'
import { upgrade } from './upgrade.ts'

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

/** Waits for a file for as long as other programs have it: what is paid for must not be lost. */
export const untilFree: LockWait = { forMs: () => Infinity }

/** A file of records. */
export interface OpenDatabase {
  readonly path: string
  readonly database: DatabaseSync
  readonly lockWait: LockWait
  /** Works with it. That is tried again while other programs have the file, and says so; what fails names the file. */
  run<T>(work: () => T, lockWait?: LockWait): Promise<T>
  close(): void
}

/**
 * Opens a file, or makes one. It opens to write even for a reader: that completes what a killed run has begun, and upgrades the file.
 *
 * @param command What works with it.
 * @param lockWait How long its work tries to get it. Default: 10 seconds.
 * @throws {UsageError} for a file that is not of this program, or that cannot be read.
 */
export async function openDatabase(
  path: string,
  command: string,
  lockWait: LockWait = {},
): Promise<OpenDatabase> {
  needSqlite(command)
  const database = await whenFree(path, () => upgraded(path), lockWait)
  return {
    ...{ path, database, lockWait },
    run: (work, other) => whenFree(path, work, { ...lockWait, ...other }),
    close: () => database.close(),
  }
}

/** Repeats work on a file while other programs have it. */
async function whenFree<T>(path: string, work: () => T, lockWait: LockWait): Promise<T> {
  const onWait = (): void => toStderr(`${path} is locked by another program; waiting until it is free`)
  try {
    return await retryWhileLocked(work, { ...lockWait, onWait })
  } catch (error) {
    throw withPath(path, error)
  }
}

function upgraded(path: string): DatabaseSync {
  const database = openEvenReadOnly(resolve(path))
  try {
    upgrade(database, path)
  } catch (error) {
    database.close()
    throw error
  }
  try {
    // With a write-ahead log, programs that read the file do not keep a run from storing what it has paid for.
    database.exec('PRAGMA journal_mode = WAL')
  } catch {
    // It may not be written, the file system has no shared memory, or a program has the file open that was made without a log.
  }
  return database
}

/** Opens a file, also where nothing can be written. A log needs a file beside it; without a log, the file is all there is. */
function openEvenReadOnly(file: string): DatabaseSync {
  try {
    return opened(file)
  } catch (error) {
    const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
    const shut: readonly unknown[] = [sqliteCodes.readOnly, sqliteCodes.cannotOpen]
    if (!shut.includes(sqliteCode(error)) || hasLog) throw error
    return opened(`${pathToFileURL(file).href}?immutable=1`, { readOnly: true })
  }
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

const reasons: ReadonlyMap<number, string> = new Map([
  [sqliteCodes.readOnly, 'it may not be written; check who may write it, and its folder'],
  [sqliteCodes.busy, 'another program has locked it'],
  [sqliteCodes.full, 'the disk is full'],
])

/** An error of SQLite, in words that name the file; any other error as it is. */
function withPath(path: string, error: unknown): unknown {
  if ((error as { code?: unknown } | null)?.code !== 'ERR_SQLITE_ERROR') return error
  const code = sqliteCode(error) ?? 0
  const file = resolve(path)
  const isFile = statSync(file, { throwIfNoEntry: false })?.isFile()
  if (code === sqliteCodes.notADatabase || isFile === false)
    return new UsageError(`${path} is not an SQLite database; pass another file`)
  if (code === sqliteCodes.cannotOpen) return new UsageError(`${path} ${whyShut(file, path, isFile)}`)
  const said = messageOf(error)
  // Tables of records have no constraint that a record could break.
  const refused = `a trigger, index or reference that you added refuses the change (${said})`
  const reason = code === sqliteCodes.constraint ? refused : (reasons.get(code) ?? said)
  return new CommandError('failed', `${path} cannot be used: ${reason}`)
}

function whyShut(file: string, path: string, isFile = false): string {
  try {
    if (isFile) closeSync(openSync(file, 'r'))
  } catch {
    return 'cannot be read; check who may read it'
  }
  const last = existsSync(`${file}-wal`) ? `, and its last pages are in ${path}-wal` : ''
  return `cannot be used: nothing can be written in its folder${last}; copy it to another folder`
}

/**
 * Works with the records of a file that is there.
 *
 * @param command What works with it.
 * @param work Gets the kinds of records that the file has.
 * @throws {UsageError} if there is no such file, or it has no records.
 */
export async function withRecords<T>(
  path: string,
  command: string,
  work: (file: OpenDatabase, tables: readonly RecordTable[]) => T | Promise<T>,
  lockWait?: LockWait,
): Promise<T> {
  if (!existsSync(resolve(path))) throw new UsageError(`${path} does not exist`)
  const file = await openDatabase(path, command, lockWait)
  try {
    const tables = await file.run(() => tablesIn(file.database))
    if (tables.length === 0)
      throw new UsageError(`${path} has no records; --out ${path} of search or watch stores some`)
    return await work(file, tables)
  } catch (error) {
    throw withPath(path, error)
  } finally {
    file.close()
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
