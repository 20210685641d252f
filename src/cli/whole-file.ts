import { randomBytes } from 'node:crypto'
import {
  type Stats,
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { linkedFile } from '../lib/node/file-lock.ts'
import { asWritten } from './database/open-database.ts'

interface WholeFileOptions {
  /** Whether it may replace a file, whose mode and owner it gets. A link stays, and leads to the new file. */
  readonly mayReplace: boolean
  /** When it aborts, there is no new file, and its reason is thrown. */
  readonly signal: AbortSignal
}

/**
 * Writes a file that has its name only once it is complete.
 *
 * @param place Calls the function that gives the file its name. If it throws, there is no new file.
 * @throws {UsageError} if the system does not allow to write the file, or there is one that must stay.
 */
export async function writeWhole(
  path: string,
  bytes: Iterable<Uint8Array>,
  { mayReplace, signal }: WholeFileOptions,
  place: (name: () => void) => void | Promise<void>,
): Promise<void> {
  const { file, replaced } = asWritten(path, () => targetOf(path, mayReplace))
  // A name that no other process has, nor one that was killed has left.
  const unfinished = `${file}.${randomBytes(6).toString('hex')}.part`
  const mode = replaced === undefined ? 0o666 : replaced.mode & 0o600
  const descriptor = asWritten(path, () => openSync(unfinished, 'wx', mode))
  try {
    try {
      for (const part of bytes) {
        asWritten(path, () => writeFileSync(descriptor, part))
        // A signal is heard only in between.
        await setImmediate()
        signal.throwIfAborted()
      }
      // After it is filled: a mode may forbid to write.
      if (replaced !== undefined) keepAccess(descriptor, replaced)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    const name = replaced === undefined ? link : renameSync
    await place(() => asWritten(path, () => name(unfinished, file)))
  } finally {
    rmSync(unfinished, { force: true })
  }
}

/** Where a file is to be, and the one that is there. */
function targetOf(path: string, mayReplace: boolean) {
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined
  if (isThere && !mayReplace) throw Object.assign(new Error(), { code: 'EEXIST' })
  return { file: linkedFile(path), replaced: statSync(path, { throwIfNoEntry: false }) }
}

/** Only the superuser may give a file to somebody else. */
function keepAccess(descriptor: number, { mode, uid, gid }: Stats): void {
  try {
    fchownSync(descriptor, uid, gid)
  } catch {
    // Its owner is whoever writes it.
  }
  fchmodSync(descriptor, mode & 0o777)
}

/** @throws if there is a file of that name by now. */
function link(unfinished: string, file: string): void {
  try {
    linkSync(unfinished, file)
  } catch (error) {
    // Not every file system has links.
    if (existsSync(file)) throw error
    renameSync(unfinished, file)
  }
}
