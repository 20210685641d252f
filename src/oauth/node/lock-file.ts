import { randomUUID } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { type FileHandle, open, readFile, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { parsed } from '../../core/http/dialect.ts'
import { now, sleep } from '../../core/lib/time.ts'
import { TokenStoreError } from '../../errors.ts'

/** How often an owner shows that it lives, in milliseconds. */
const heartbeatMs = 2000

/** Silence after which an owner counts as gone, in milliseconds: many heartbeats, since a busy process may miss some. */
const silenceMs = 20_000

const pollMs = 25

/** Who holds a lock, as its file says. */
interface Owner {
  readonly pid: number
  /** The machine, and on Linux the namespace that the pid belongs to. */
  readonly place: string
  /** Tells this taking of the lock from every other. */
  readonly id: string
}

/**
 * Runs work while holding a lock file. It waits for as long as the owner shows life; the lock of an owner that has died,
 * or has been silent for long, is taken over.
 *
 * @throws {TokenStoreError} where the file cannot be made, read or removed.
 */
export async function withLockFile<T>(path: string, work: () => Promise<T>): Promise<T> {
  const text = JSON.stringify({ pid: process.pid, place: place(), id: randomUUID() } satisfies Owner)
  const file = await onDisk(path, () => take(path, text))
  const beat = setInterval(() => {
    const time = new Date()
    file.utimes(time, time).catch(() => {})
  }, heartbeatMs)
  beat.unref()
  try {
    return await work()
  } finally {
    clearInterval(beat)
    await onDisk(path, async () => {
      await file.close()
      await remove(path, text)
    })
  }
}

async function onDisk<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code = 'no code' } = error as NodeJS.ErrnoException
    throw new TokenStoreError(`the lock file ${path} cannot be used (${code})`)
  }
}

async function take(path: string, text: string): Promise<FileHandle> {
  const isSilent = silence()
  for (;;) {
    const file = await create(path)
    if (file !== null) return await signed(path, file, text)
    const found = await look(path)
    if (found !== null && (isDead(found.text) || isSilent(found))) await remove(path, found.text)
    await sleep(pollMs * (1 + Math.random()))
  }
}

/** Tells whether a file has stayed as it is for long. Time is counted here: no clock but this process's own matters. */
function silence(): (found: Found) => boolean {
  let seen = ''
  let since = 0
  return ({ modified, text }) => {
    const state = `${modified} ${text}`
    if (state !== seen) [seen, since] = [state, now()]
    return now() - since > silenceMs
  }
}

/** Writes the owner down; a lock that nobody's name is on would stand until its silence is long enough. */
async function signed(path: string, file: FileHandle, text: string): Promise<FileHandle> {
  try {
    await file.writeFile(text)
    return file
  } catch (error) {
    await file.close()
    await rm(path, { force: true })
    throw error
  }
}

/** Makes the file, or returns null where there is one. */
async function create(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null
    throw error
  }
}

interface Found {
  readonly text: string
  readonly modified: number
}

async function look(path: string): Promise<Found | null> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)])
    return { text, modified: mtimeMs }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/**
 * Removes the lock if it is still the one meant. Removals go one at a time, behind a second file: two who both find an
 * owner dead would otherwise remove, one after the other, the dead one's lock and the lock of the first of them.
 */
async function remove(path: string, text: string): Promise<void> {
  const guard = `${path}.guard`
  const isSilent = silence()
  for (;;) {
    const file = await create(guard)
    if (file !== null) {
      try {
        if ((await look(path))?.text === text) await rm(path, { force: true })
      } finally {
        await file.close()
        await rm(guard, { force: true })
      }
      return
    }
    const found = await look(guard)
    if (found !== null && isSilent(found)) await rm(guard, { force: true })
    await sleep(pollMs * Math.random())
  }
}

/** Whether the owner was a process of this very place that no longer exists. */
function isDead(text: string): boolean {
  // One that is no JSON is still being written, or its owner died over that.
  const owner = Object(parsed(text)) as Partial<Owner>
  if (owner.place !== place() || typeof owner.pid !== 'number') return false
  try {
    process.kill(owner.pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

function place(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
}
