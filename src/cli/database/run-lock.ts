import { type FileLock, NotALock, takeFileLock } from '../../lib/node/file-lock.ts'
import { CommandError, UsageError } from '../command-errors.ts'
import { needSqlite } from './open-database.ts'
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

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
    if (!['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR'].includes(code)) throw error
    throw new UsageError(`${path} cannot be written (${code}); check who may write it, and its folder`)
  }
}
