import { existsSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { messageOf } from '../lib/thrown.ts'
import { UsageError } from './command-errors.ts'
import { asWritten } from './output-file.ts'
import { importWithSqlite } from './sqlite.ts'

/**
 * Lets one run at a time write a file. SQLite locks an empty database beside it, and the system releases the lock when the
 * process ends.
 */
export class RunLock {
  readonly #path: string
  readonly #database: DatabaseSync

  private constructor(path: string, database: DatabaseSync) {
    this.#path = path
    this.#database = database
  }

  /**
   * @param part Added to the name of the lock, so that different jobs lock one file apart.
   * @throws {UsageError} if no lock can be made, or another run has it.
   */
  static async take(path: string, part = ''): Promise<RunLock> {
    const { DatabaseSync } = await importWithSqlite('--state', () => import('node:sqlite'))
    const file = resolve(`${existsSync(path) ? realpathSync(path) : path}${part}.lock`)
    const inode = (): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino
    for (;;) {
      if (!existsSync(file)) asWritten(path, () => writeFileSync(file, '', { flag: 'a' }))
      const before = inode()
      let database: DatabaseSync | undefined
      try {
        database = new DatabaseSync(file)
        // A killed process takes a moment to end.
        database.exec('PRAGMA busy_timeout = 500; BEGIN EXCLUSIVE')
      } catch (error) {
        database?.close()
        const message = messageOf(error)
        throw new UsageError(
          message.includes('locked')
            ? `${path} is in use by another run; wait until it ends, or pass another file`
            : `${file} cannot be a lock: ${message}; rename it, or pass another file`,
        )
      }
      // Its last owner may have removed the file before this run had the lock.
      if (before !== undefined && before === inode()) return new RunLock(file, database)
      database.close()
    }
  }

  release(): void {
    try {
      rmSync(this.#path, { force: true })
    } catch {
      // Windows keeps a file that is open. An empty one does no harm.
    }
    this.#database.close()
  }
}
