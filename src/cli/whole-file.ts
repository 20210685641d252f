import { randomBytes } from 'node:crypto'
import {
  type Stats,
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { CommandError } from './command-errors.ts'
import { asWritten } from './database/open-database.ts'

/** How much is written at once, in bytes. */
const partSize = 65_536

interface WholeFileOptions {
  /** Whether it may replace a file, whose mode and owner it gets. A link stays, and leads to the new file. */
  readonly mayReplace: boolean
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
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { mayReplace, signal }: WholeFileOptions,
  place: (name: () => void) => void | Promise<void>,
): Promise<void> {
  const target = asWritten(path, () => targetOf(path, mayReplace))
  const unfinished = asWritten(path, () => unfinishedFor(target))
  try {
    try {
      for await (const part of joined(bytes)) {
        asWritten(path, () => writeFileSync(unfinished.descriptor, part))
        // A signal is heard only in between.
        await setImmediate()
        if (signal.aborted) throw new CommandError('interrupted', `stopped; there is no new ${path}`)
      }
      // After it is filled: a mode may forbid to write.
      if (target.replaced !== undefined && unfinished.isBeside)
        keepAccess(unfinished.descriptor, target.replaced)
      fsyncSync(unfinished.descriptor)
    } finally {
      closeSync(unfinished.descriptor)
    }
    await place(() => asWritten(path, () => name(unfinished, target)))
  } finally {
    rmSync(unfinished.file, { force: true })
  }
}

/** Where a file is to be. */
interface Target {
  readonly file: string
  /** The file that is there. */
  readonly replaced: Stats | undefined
}

function targetOf(path: string, mayReplace: boolean): Target {
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined
  if (isThere && !mayReplace) throw Object.assign(new Error(), { code: 'EEXIST' })
  const replaced = statSync(path, { throwIfNoEntry: false })
  if (replaced !== undefined) return { file: realpathSync(path), replaced }
  // A link may lead to a file that is to come.
  return { file: isThere ? resolve(dirname(path), readlinkSync(path)) : path, replaced }
}

interface Unfinished {
  readonly file: string
  readonly descriptor: number
  /** Whether it is beside the target, whose name it may get. */
  readonly isBeside: boolean
}

/** A file of a name that no other process has, nor one that was killed has left. */
function unfinishedFor({ file, replaced }: Target): Unfinished {
  const ending = `.${randomBytes(6).toString('hex')}.part`
  const make = (unfinished: string, mode: number, isBeside: boolean): Unfinished => ({
    ...{ file: unfinished, isBeside, descriptor: openSync(unfinished, 'wx', mode) },
  })
  try {
    return make(file + ending, replaced === undefined ? 0o666 : replaced.mode & 0o600, true)
  } catch (error) {
    // The folder may be one that may not be written, with a file that may, such as one that is mounted alone.
    if (replaced === undefined) throw error
    closeSync(openSync(file, 'r+'))
    return make(join(tmpdir(), basename(file) + ending), 0o600, false)
  }
}

/** Few parts that are large, instead of many small ones. */
async function* joined(bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = []
  let size = 0
  for await (const part of bytes) {
    parts.push(part)
    size += part.length
    if (size < partSize) continue
    yield Buffer.concat(parts)
    parts = []
    size = 0
  }
  yield Buffer.concat(parts)
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

/** Gives a complete file its name. */
function name({ file: unfinished, isBeside }: Unfinished, { file, replaced }: Target): void {
  if (replaced === undefined) link(unfinished, file)
  else if (!isBeside || !replaced.isFile()) overwrite(unfinished, file)
  else
    try {
      renameSync(unfinished, file)
    } catch {
      // A file that is mounted alone cannot be replaced.
      overwrite(unfinished, file)
    }
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

/** Puts the bytes of one file in the place of those of another. */
function overwrite(from: string, to: string): void {
  const [source, target] = [openSync(from, 'r'), openSync(to, 'r+')]
  try {
    const buffer = Buffer.alloc(16 * partSize)
    let length = 0
    for (let read = 1; read > 0; length += read) {
      read = readSync(source, buffer)
      let written = 0
      while (written < read) written += writeSync(target, buffer, written, read - written)
    }
    ftruncateSync(target, length)
    fsyncSync(target)
  } finally {
    closeSync(source)
    closeSync(target)
  }
}
