import { createHash, randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFile,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { replaceFile } from './replace-file.ts'

/** How often an owner touches its lock, in milliseconds. */
const heartbeatMs = 2000

/** A process that has a lock and may be alive. */
export interface LockOwner {
  /** Unique for each time a lock is taken. */
  readonly name: string
  readonly pid: number
  /** Whether it belongs to another machine or container, so that only its heartbeats show that it lives. */
  readonly isElsewhere: boolean
  /** The time of its last heartbeat, by the clock of the file system. */
  readonly lastBeat: number
}

/**
 * Lets one process at a time write a file. The lock is a folder beside it that contains a file named after the process,
 * and its temporary files. A rename puts a folder in place only if none is there or an empty one, and each name is unique:
 * so any number of processes may remove what a dead one has left, and one of them gets the lock.
 */
export class ProcessLock {
  readonly path: string
  /** The owner's file in the folder. Names of temporary files begin with it and a dot: the next owner removes them. */
  protected readonly mark: string
  /** Whether `assertHeld` has thrown. */
  wasLost = false
  readonly #name = `${process.pid}-${startOf(process.pid)}-${place()}-${randomBytes(4).toString('hex')}`
  readonly #folder: string
  readonly #draft: string
  readonly #mode: number
  #heartbeat: NodeJS.Timeout | undefined

  /** @param mode Permissions of the lock. */
  constructor(path: string, mode = 0o777) {
    this.path = path
    this.#folder = `${path}.lock`
    this.#draft = `${this.#folder}.${this.#name}`
    this.#mode = mode
    this.mark = join(this.#folder, this.#name)
  }

  /**
   * Tries to take the lock, also from a dead owner.
   *
   * @param isSilent Whether to take it from an owner that may be alive.
   * @returns null if it is taken, else its owner; `not a lock` if something else has the name of the folder.
   */
  take(isSilent: (owner: LockOwner) => boolean): LockOwner | 'not a lock' | null {
    for (let attempt = 0, isPlaced = false; !isPlaced; attempt++) {
      const owner = this.#otherOwner(isSilent)
      if (owner !== null) return owner
      isPlaced = this.#place(attempt)
    }
    // If this fails, another process has the lock, and the next write is refused.
    const beat = (): void => writeFile(this.mark, '.', { flag: 'r+' }, () => {})
    this.#heartbeat = setInterval(beat, heartbeatMs).unref()
    this.#removeDrafts()
    return null
  }

  /** Throws if another process has taken the lock over, since this one was stopped for long. */
  assertHeld(): void {
    this.wasLost ||= !existsSync(this.mark)
    if (this.wasLost) throw new Error(`${this.path} has been taken over by another process`)
  }

  /** Replaces the file, or one beside it. If the lock is lost just before the rename, its next owner makes that fail. */
  replace(path: string, text: string, mode?: number): void {
    this.assertHeld()
    replaceFile(path, text, mode, `${this.mark}.tmp`, () => this.assertHeld())
  }

  release(): void {
    clearInterval(this.#heartbeat)
    try {
      for (const file of readdirSync(this.#folder))
        if (file.startsWith(this.#name)) rmSync(join(this.#folder, file), { force: true })
      rmdirSync(this.#folder)
    } catch {
      // Another process has it already.
    }
  }

  /** The time by the clock of the file system. */
  protected now(): number {
    mkdirSync(this.#draft)
    const { mtimeMs } = statSync(this.#draft)
    rmdirSync(this.#draft)
    return mtimeMs
  }

  #place(attempt: number): boolean {
    mkdirSync(this.#draft, { mode: this.#mode })
    try {
      writeFileSync(join(this.#draft, this.#name), '.')
      renameSync(this.#draft, this.#folder)
      return true
    } catch (error) {
      rmSync(this.#draft, { recursive: true, force: true })
      // Others may take it and give it back meanwhile, but not that often.
      if (attempt === 100) throw error
      return false
    }
  }

  /** Removes the files of dead and silent owners until it finds another. */
  #otherOwner(isSilent: (owner: LockOwner) => boolean): LockOwner | 'not a lock' | null {
    let files: string[]
    try {
      files = readdirSync(this.#folder)
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : 'not a lock'
    }
    for (const file of files) {
      const [name = ''] = file.split('.')
      const state = ownerState(name)
      if (state === null) return 'not a lock'
      const mark = statSync(join(this.#folder, name), { throwIfNoEntry: false })
      if (state !== 'ended' && mark !== undefined) {
        const isElsewhere = state === 'elsewhere'
        const owner = { name, pid: parseInt(name), isElsewhere, lastBeat: mark.mtimeMs }
        if (!isSilent(owner)) return owner
      }
      rmSync(join(this.#folder, file), { force: true })
    }
    try {
      // Not every system renames to an empty folder.
      rmdirSync(this.#folder)
    } catch {
      // Gone, or taken by another process.
    }
    return null
  }

  /** Removes what processes have left that were killed while they took the lock. */
  #removeDrafts(): void {
    const parent = dirname(this.#folder)
    const prefix = `${basename(this.#folder)}.`
    try {
      for (const name of readdirSync(parent))
        if (name.startsWith(prefix) && ownerState(name.slice(prefix.length)) === 'ended')
          rmSync(join(parent, name), { recursive: true, force: true })
    } catch {
      // They do no harm.
    }
  }
}

/** What is known of the process in a name; null for a name of another kind. */
function ownerState(name: string): 'running' | 'ended' | 'elsewhere' | null {
  const [, pid, start, where] = /^(\d+)-(\w*)-(\w{8})-\w{8}$/.exec(name) ?? []
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
