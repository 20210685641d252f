import { createHash, randomBytes } from 'node:crypto'
import {
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { CommandError, UsageError } from './command-errors.ts'
import { replaceFile } from './replace-file.ts'

/** How often a process touches its lock, in milliseconds. */
const heartbeatMs = 10_000

/** A process of another machine or container counts as ended after this time, in milliseconds. */
const silenceMs = 120_000

/**
 * Lets one process at a time write a file. The lock is a folder beside it that contains a file named after the process,
 * and its temporary files. A rename puts a folder in place only if none is there or an empty one, and each name is unique:
 * so any number of processes may remove what a dead one has left, and one of them gets the lock.
 */
export class RunLock {
  /** The file; a link is followed, also to a file that does not exist. */
  readonly path: string
  readonly #folder: string
  readonly #owner = `${process.pid}-${startOf(process.pid)}-${place()}-${randomBytes(4).toString('hex')}`
  readonly #heartbeat: NodeJS.Timeout

  /** @throws {UsageError} if another process has the file. */
  constructor(path: string) {
    this.path = targetOf(path)
    this.#folder = `${this.path}.lock`
    this.#take()
    this.#heartbeat = setInterval(() => {
      try {
        writeFileSync(this.#mark, '.', { flag: 'r+' })
      } catch {
        // Whoever has removed it has the lock: the next page is not bought.
      }
    }, heartbeatMs).unref()
  }

  /** Takes disk space, until `free`. */
  reserve(bytes: number): void {
    this.#assertHeld()
    writeFileSync(`${this.#mark}.reserve`, Buffer.alloc(bytes), { flag: 'wx' })
  }

  free(): void {
    rmSync(`${this.#mark}.reserve`, { force: true })
  }

  /** Replaces the file, or one beside it. */
  replace(path: string, text: string): void {
    this.#assertHeld()
    replaceFile(path, text, undefined, `${this.#mark}.tmp`)
  }

  release(): void {
    clearInterval(this.#heartbeat)
    this.free()
    rmSync(this.#mark, { force: true })
    try {
      rmdirSync(this.#folder)
    } catch {
      // Another process has it already.
    }
  }

  get #mark(): string {
    return join(this.#folder, this.#owner)
  }

  /** A process that was stopped for long may have lost the lock. */
  #assertHeld(): void {
    if (statSync(this.#mark, { throwIfNoEntry: false }) === undefined)
      throw new CommandError('failed', `${this.path} has been taken over by another process`)
  }

  #take(): void {
    const draft = `${this.#folder}.${this.#owner}`
    mkdirSync(draft)
    try {
      writeFileSync(join(draft, this.#owner), '.')
      for (let attempt = 0; !this.#isPlaced(draft, attempt); attempt++)
        this.#removeDead(statSync(draft).mtimeMs, attempt)
    } catch (error) {
      rmSync(draft, { recursive: true, force: true })
      throw error
    }
    this.#removeDrafts()
  }

  /** Removes what processes have left that were killed while they took the lock. */
  #removeDrafts(): void {
    const prefix = `${basename(this.#folder)}.`
    try {
      for (const name of readdirSync(dirname(this.path)))
        if (name.startsWith(prefix) && ownerState(name.slice(prefix.length)) === 'ended')
          rmSync(join(dirname(this.path), name), { recursive: true, force: true })
    } catch {
      // They do no harm.
    }
  }

  #isPlaced(draft: string, attempt: number): boolean {
    try {
      renameSync(draft, this.#folder)
      return true
    } catch (error) {
      // Others may take it and give it back meanwhile, but not that often.
      if (attempt === 100) throw error
      return false
    }
  }

  /** @param now The time of the file system. */
  #removeDead(now: number, attempt: number): void {
    for (const name of this.#entries()) {
      const [owner = ''] = name.split('.')
      const [pid] = owner.split('-')
      const state = ownerState(owner)
      if (state === null)
        throw new UsageError(`${this.#folder} exists and is not a lock; rename it, or pass another file`)
      if (state === 'running' && Number(pid) !== process.pid && attempt < 25)
        // A killed process takes a moment to end.
        return void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
      if (state === 'running')
        throw new UsageError(
          `${this.path} is in use by process ${pid}; wait until it ends, or pass another file`,
        )
      const mark = statSync(join(this.#folder, owner), { throwIfNoEntry: false })
      if (state === 'elsewhere' && mark !== undefined && now - mark.mtimeMs < silenceMs)
        throw new UsageError(
          `${this.path} is in use by process ${pid} of another machine or container; if that has ended, remove ${this.#folder}`,
        )
      rmSync(join(this.#folder, name), { force: true })
    }
    try {
      // Not every system renames to an empty folder.
      rmdirSync(this.#folder)
    } catch {
      // Gone, or taken by another process.
    }
  }

  #entries(): string[] {
    try {
      return readdirSync(this.#folder)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT') return []
      throw new UsageError(`${this.#folder} is in the way (${code}); rename it, or pass another file`)
    }
  }
}

/** What is known of the process in a name; null for a name of another kind. */
function ownerState(owner: string): 'running' | 'ended' | 'elsewhere' | null {
  const [, pid, start, where] = /^(\d+)-(\w*)-(\w{8})-\w{8}$/.exec(owner) ?? []
  if (pid === undefined) return null
  if (where !== place()) return 'elsewhere'
  const found = startOf(Number(pid))
  // Another process may have its pid now.
  if (start !== '' && found !== '') return start === found ? 'running' : 'ended'
  try {
    process.kill(Number(pid), 0)
    return 'running'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH' ? 'ended' : 'running'
  }
}

/** When a process of this machine was started, in a form to compare; empty if the system does not tell. */
function startOf(pid: number): string {
  try {
    // The name of the program, in brackets, may contain anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /s, '').split(' ')
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8)
    return 'ZX'.includes(fields[0] ?? '') ? 'ended' : `${boot}${fields[19]}`
  } catch {
    return ''
  }
}

/** The machine, and on Linux the namespace of its pids. */
function place(): string {
  let namespace = ''
  try {
    namespace = readlinkSync('/proc/self/ns/pid')
  } catch {
    // Pids are those of the machine.
  }
  return createHash('sha256').update(`${hostname()} ${namespace}`).digest('hex').slice(0, 8)
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
