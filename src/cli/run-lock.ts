import { accessSync, constants, existsSync, readlinkSync, statSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import { ProcessLock } from '../extensions/oauth/node/process-lock.ts'
import { UsageError } from './command-errors.ts'

/** A process of another machine or container counts as ended after this time, in milliseconds. */
const silenceMs = 120_000

/** The lock of a file that a run of the command writes. A link is followed, also to a file that does not exist. */
export class RunLock extends ProcessLock {
  /** The file itself, if `path` is a link. */
  readonly target: string

  /**
   * @param part Added to the name of the lock, so that different jobs lock one file apart.
   * @throws {UsageError} if the file cannot be written, or another process has it.
   */
  constructor(path: string, part = '') {
    const target = targetOf(path)
    assertWritable(target)
    super(`${target}${part}`)
    this.target = target
    for (let attempt = 0; !this.#isTaken(attempt); attempt++)
      // A killed process takes a moment to end.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
  }

  #isTaken(attempt: number): boolean {
    const owner = asWritten(this.target, () =>
      this.take(({ isElsewhere, lastBeat }) => isElsewhere && this.now() - lastBeat >= silenceMs),
    )
    if (owner === null) return true
    if (owner === 'not a lock')
      throw new UsageError(`${this.path}.lock exists and is not a lock; rename it, or pass another file`)
    const inUse = `${this.target} is in use by process ${owner.pid}`
    if (owner.isElsewhere)
      throw new UsageError(
        `${inUse} of another machine or container; if that has ended, remove ${this.path}.lock`,
      )
    if (owner.pid === process.pid || attempt === 25)
      throw new UsageError(`${inUse}; wait until it ends, or pass another file`)
    return false
  }
}

/** @throws {UsageError} for a folder, and for a file that cannot be written or whose folder does not exist. */
function assertWritable(path: string): void {
  const folder = dirname(resolve(path))
  if (!existsSync(folder))
    throw new UsageError(`${path} cannot be written: the folder ${folder} does not exist; make it first`)
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory() === true) throw new UsageError(`${path} is a folder; pass a file`)
  if (found !== undefined) asWritten(path, () => accessSync(path, constants.W_OK))
}

/** @throws {UsageError} if the system does not allow to write the file, or beside it. */
function asWritten<Value>(path: string, write: () => Value): Value {
  try {
    return write()
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR'].includes(code)) throw error
    throw new UsageError(`${path} cannot be written (${code}); check who may write it, and its folder`)
  }
}

/** Follows links, as a shell does for `>`, also to a file that does not exist. */
function targetOf(path: string): string {
  let target = path
  for (let links = 0; links < 40; links++) {
    let link: string
    try {
      link = readlinkSync(target)
    } catch {
      return target
    }
    target = isAbsolute(link) ? link : `${dirname(target)}/${link}`
  }
  throw new UsageError(`${path} is a loop of links`)
}
