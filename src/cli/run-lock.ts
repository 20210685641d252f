import { type FileLock, NotALock, takeFileLock } from '../lib/node/file-lock.ts'
import { UsageError } from './command-errors.ts'
import { asWritten } from './as-written.ts'
import { importSqlite } from './sqlite.ts'

/**
 * Lets one run at a time write a file.
 *
 * @param part Added to the name of the lock, so that different jobs lock one file apart.
 * @throws {UsageError} if no lock can be made, or another run has it.
 */
export async function lockForRun(path: string, part = ''): Promise<FileLock> {
  const sqlite = await importSqlite('a job')
  try {
    const lock = asWritten(path, () => takeFileLock(sqlite, path, part))
    if (lock !== null) return lock
  } catch (error) {
    if (error instanceof NotALock) throw new UsageError(`${error.message}; rename it, or pass another file`)
    throw error
  }
  throw new UsageError(`${path} is in use by another run; wait until it ends, or pass another file`)
}
