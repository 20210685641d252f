import { existsSync, lstatSync, readlinkSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { isLocked, openSqlite, sqliteCode, sqliteCodes } from '../sqlite-file.ts'
import { messageOf } from '../thrown.ts'

/** How long to wait for the lock, in milliseconds: a killed process takes a moment to end. This process does nothing else meanwhile. */
const waitMs = 500

/** Lets one process at a time write a file, until it releases the lock or ends. */
export interface FileLock {
  release(): void
}

/**
 * Takes the lock of a file, or of the file that a link leads to; null while another process has it. SQLite locks an empty
 * database beside the file, and the system releases that lock when the process ends.
 *
 * @param part Added to the name of the lock, so that different jobs lock one file apart.
 * @throws {Error} if no lock can be made.
 */
export function takeFileLock(path: string, part: string): FileLock | null {
  const file = resolve(`${linkedFile(path)}${part}.lock`)
  const inode = (): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino
  for (let attempt = 1; ; attempt++) {
    if (!existsSync(file)) writeFileSync(file, '', { flag: 'a', mode: 0o600 })
    const before = inode()
    let database: DatabaseSync | undefined
    try {
      database = openSqlite(file, { waitMs })
      database.exec('BEGIN EXCLUSIVE')
    } catch (error) {
      database?.close()
      if (isLocked(error)) return null
      // SQLite may meet a lock that another process is just removing.
      const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() !== false
      const isOurs = isFile && sqliteCode(error) !== sqliteCodes.notADatabase
      if (!isOurs || attempt === 20) throw new NotALock(file, messageOf(error))
      continue
    }
    // Its last owner may have removed the file before this process had the lock.
    if (before !== undefined && before === inode()) return lockOf(file, database)
    database.close()
  }
}

function lockOf(file: string, database: DatabaseSync): FileLock {
  return {
    release: () => {
      try {
        rmSync(file, { force: true })
      } catch {
        // Windows keeps a file that is open. An empty one does no harm.
      }
      database.close()
    },
  }
}

/** The file that a path leads to, through links. It may be still to come. */
export function linkedFile(path: string): string {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return realpathSync(path)
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path
  return linkedFile(resolve(realpathSync(dirname(path)), readlinkSync(path)))
}

/** Something else has the name of the lock. */
export class NotALock extends Error {
  constructor(file: string, reason: string) {
    super(`${file} cannot be a lock: ${reason}`)
  }
}
