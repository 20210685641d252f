import { type FileLock, NotALock, takeFileLock } from '../lib/node/file-lock.ts'
import { UsageError } from './command-errors.ts'
import { asWritten } from './as-written.ts'
import { needSqlite } from './sqlite.ts'

/**
 * Lets one run at a time do each job of a file.
 *
 * @param parts Added to the name of each lock, so that different jobs lock one file apart.
 * @throws {UsageError} if no lock can be made, or another run has one of them.
 */
export async function lockForRun(path: string, parts: readonly string[] = ['']): Promise<FileLock> {
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
