import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { type FileHandle, link, open, readFile, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { parsed } from '../../lib/json.ts'
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
 * has died or stayed silent. `isHeld` tells whether another process has taken it over.
 *
 * @throws {TokenStoreError} if the file cannot be made, read or removed.
 */
export async function withLockFile<T>(path: string, work: (isHeld: () => boolean) => Promise<T>): Promise<T> {
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
    return await work(() => textOf(path) === text)
  } finally {
    clearInterval(beat)
    await withStoreErrors(path, async () => {
      await file.close()
      removeIf(path, text)
    })
  }
}

/** Removes what killed processes have left beside a file. Requires the file's lock. */
export function removeLeftovers(path: string): void {
  const name = basename(path)
  for (const entry of readdirSync(dirname(path)))
    if (entry.startsWith(name) && /^(\.lock)?(\.[0-9a-f-]{36}\.tmp)+$/.test(entry.slice(name.length)))
      rmSync(join(dirname(path), entry), { force: true })
}

async function withStoreErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof TokenStoreError) throw error
    const { code = 'no code' } = error as NodeJS.ErrnoException
    throw new TokenStoreError(`the lock file ${path} cannot be used (${code})`)
  }
}

async function acquire(path: string, text: string): Promise<FileHandle> {
  const isSilent = silenceDetector()
  for (;;) {
    const found = await readLock(path)
    if (found === null) {
      const file = await create(path, text)
      if (file !== null) return file
    } else if (isDead(found.text) || isSilent(found)) await removeStale(path, found.text)
    await sleep(pollMs * (1 + Math.random()))
  }
}

/** Creates the lock with its owner in it, or returns null if it exists. No process ever sees it without an owner. */
async function create(path: string, text: string): Promise<FileHandle | null> {
  const temporary = `${path}.${randomUUID()}.tmp`
  const file = await open(temporary, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await link(temporary, path)
    return file
  } catch (error) {
    await file.close()
    // ENOENT: the current owner has removed the temporary file as a leftover.
    if (isCode(error, 'EEXIST') || isCode(error, 'ENOENT')) return null
    throw error
  } finally {
    await rm(temporary, { force: true })
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

interface LockContent {
  readonly text: string
  readonly modified: number
}

async function readLock(path: string): Promise<LockContent | null> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)])
    return { text, modified: mtimeMs }
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    throw error
  }
}

/**
 * Removes the lock of a dead or silent owner. A lock for each such owner serializes this: of two processes that both find
 * the owner dead, the second would otherwise remove the new lock of the first.
 */
async function removeStale(path: string, text: string): Promise<void> {
  const name = createHash('sha256').update(text).digest('hex').slice(0, 36)
  await withLockFile(`${path}.${name}.tmp`, () => {
    removeIf(path, text)
    return Promise.resolve()
  })
}

/** Synchronous, so that the process is hardly ever stopped in between. */
function removeIf(path: string, text: string): void {
  if (textOf(path) === text) rmSync(path, { force: true })
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    throw error
  }
}

/** Whether the owner was a process of this machine and namespace that no longer exists. */
function isDead(text: string): boolean {
  const owner = Object(parsed(text)) as Partial<Owner>
  // The owner is in the file from the start, so this is no lock of ours.
  if (typeof owner.pid !== 'number') return true
  if (owner.place !== machineAndNamespace()) return false
  try {
    process.kill(owner.pid, 0)
    return false
  } catch (error) {
    return isCode(error, 'ESRCH')
  }
}

function machineAndNamespace(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
}

export function isCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code
}
