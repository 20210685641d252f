import { randomUUID } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { type FileHandle, open, readFile, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { parsed } from '../../core/http/dialect.ts'
import { sleep } from '../../lib/time.ts'
import { TokenStoreError } from '../../errors/index.ts'

/** How often an owner touches its lock file, in milliseconds. */
const heartbeatMs = 2000

/** An owner silent for this long counts as dead, in milliseconds: many heartbeats, since a busy process may miss some. */
const silenceMs = 20_000

const pollMs = 25

/** The owner of a lock, as written in its file. */
interface Owner {
  readonly pid: number
  /** The machine, and on Linux the namespace that the pid belongs to. */
  readonly place: string
  /** Unique for each time the lock is taken. */
  readonly id: string
}

/**
 * Runs work while holding a lock file. Waits while the current owner is alive, and takes the lock over from an owner that
 * has died or stayed silent.
 *
 * @throws {TokenStoreError} if the file cannot be made, read or removed.
 */
export async function withLockFile<T>(path: string, work: () => Promise<T>): Promise<T> {
  const text = JSON.stringify({
    pid: process.pid,
    place: machineAndNamespace(),
    id: randomUUID(),
  } satisfies Owner)
  const file = await withStoreErrors(path, () => acquire(path, text))
  const beat = setInterval(() => {
    const time = new Date()
    file.utimes(time, time).catch(() => {})
  }, heartbeatMs)
  beat.unref()
  try {
    return await work()
  } finally {
    clearInterval(beat)
    await withStoreErrors(path, async () => {
      await file.close()
      await remove(path, text)
    })
  }
}

async function withStoreErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code = 'no code' } = error as NodeJS.ErrnoException
    throw new TokenStoreError(`the lock file ${path} cannot be used (${code})`)
  }
}

async function acquire(path: string, text: string): Promise<FileHandle> {
  const isSilent = silenceDetector()
  for (;;) {
    const file = await create(path)
    if (file !== null) return await writeOwner(path, file, text)
    const found = await readLock(path)
    if (found !== null && (isDead(found.text) || isSilent(found))) await remove(path, found.text)
    await sleep(pollMs * (1 + Math.random()))
  }
}

/** Returns a test of whether a file has not changed for long, measured by this process's clock alone. */
function silenceDetector(): (found: LockContent) => boolean {
  let seen = ''
  let since = 0
  return ({ modified, text }) => {
    const state = `${modified} ${text}`
    if (state !== seen) [seen, since] = [state, performance.now()]
    return performance.now() - since > silenceMs
  }
}

/** Writes the owner, or removes the file: a lock without an owner would block others until it counts as silent. */
async function writeOwner(path: string, file: FileHandle, text: string): Promise<FileHandle> {
  try {
    await file.writeFile(text)
    return file
  } catch (error) {
    await file.close()
    await rm(path, { force: true })
    throw error
  }
}

/** Creates the file, or returns null if it exists. */
async function create(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null
    throw error
  }
}

interface LockContent {
  readonly text: string
  readonly modified: number
}

async function readLock(path: string): Promise<LockContent | null> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)])
    return { text, modified: mtimeMs }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/**
 * Removes the lock if its content is still `text`. A second file serializes removals: of two processes that both find the
 * owner dead, the second would otherwise remove the new lock of the first.
 */
async function remove(path: string, text: string): Promise<void> {
  const guard = `${path}.guard`
  const isSilent = silenceDetector()
  for (;;) {
    const file = await create(guard)
    if (file !== null) {
      try {
        if ((await readLock(path))?.text === text) await rm(path, { force: true })
      } finally {
        await file.close()
        await rm(guard, { force: true })
      }
      return
    }
    const found = await readLock(guard)
    if (found !== null && isSilent(found)) await rm(guard, { force: true })
    await sleep(pollMs * Math.random())
  }
}

/** Whether the owner was a process of this machine and namespace that no longer exists. */
function isDead(text: string): boolean {
  // Invalid JSON: the owner is still writing, or died while writing.
  const owner = Object(parsed(text)) as Partial<Owner>
  if (owner.place !== machineAndNamespace() || typeof owner.pid !== 'number') return false
  try {
    process.kill(owner.pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

function machineAndNamespace(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
}
