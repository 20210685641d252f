import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { isRecord } from '../lib/is-record.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { UsageError } from './command-errors.ts'
import { RunLock } from './run-lock.ts'

/** The progress of a job, as in the state file beside its output. */
export interface JobState {
  readonly operation: string
  /** Params of the job. */
  readonly params: object
  readonly format: string
  readonly fields: readonly string[] | null
  /** Params of the next page; null after the last one. */
  readonly next: object | null
  /** Length of the complete pages in the output. */
  readonly bytes: number
  readonly records: number
  /** Credits that all runs have spent or may have spent. */
  readonly credits: number
}

/**
 * The output of a job and the state beside it, which no other process writes meanwhile. Flushes each page to the output, and then the state with the new length. So
 * if the process dies, only the page under way is bought again: a resumed job cuts the output to the length in the state.
 */
export class JobFile {
  readonly #file: number
  readonly #lock: RunLock
  #reserved = 256 * 1024
  state: JobState

  private constructor(file: number, lock: RunLock, state: JobState) {
    this.#file = file
    this.#lock = lock
    this.state = state
  }

  /** Creates the output, which must not exist, and its state. */
  static create(path: string, state: JobState): JobFile {
    return JobFile.#locked(path, (lock) => {
      for (const name of [lock.path, statePathOf(lock)])
        if (existsSync(name))
          throw new UsageError(`${name} exists; pass --resume to continue it, or another --out`)
      return JobFile.#begin(lock, state, 'wx')
    })
  }

  /** Opens the output of an earlier run and cuts off an incomplete page. Creates the output if it is missing. */
  static resume(path: string, wanted: JobState): JobFile {
    return JobFile.#locked(path, (lock) => JobFile.#continue(lock, wanted))
  }

  static #locked(path: string, open: (lock: RunLock) => JobFile): JobFile {
    const lock = new RunLock(path)
    try {
      return open(lock)
    } catch (error) {
      lock.release()
      throw error
    }
  }

  static #continue(lock: RunLock, wanted: JobState): JobFile {
    const { path } = lock
    const statePath = statePathOf(lock)
    const text = existsSync(statePath) ? readFileSync(statePath, 'utf8') : null
    if (text === null) {
      // The earlier process may have died just after it created the output.
      if (!existsSync(path) || readFileSync(path).length === 0) return JobFile.#begin(lock, wanted, 'w')
      throw new UsageError(`${statePath} is missing, so ${path} cannot be resumed; pass another --out`)
    }
    const state = parseState(statePath, text)
    for (const name of ['operation', 'params', 'format', 'fields'] as const)
      if (canonicalJson(state[name]) !== canonicalJson(wanted[name]))
        throw new UsageError(`${statePath} belongs to another job: ${name} differs; pass another --out`)
    const file = openSync(path, state.bytes === 0 ? 'a+' : 'r+')
    const { size } = fstatSync(file)
    if (size < state.bytes) {
      closeSync(file)
      throw new UsageError(
        `${path} has ${size} bytes, and ${statePath} says ${state.bytes}: something else has changed it`,
      )
    }
    ftruncateSync(file, state.bytes)
    return new JobFile(file, lock, state)
  }

  static #begin(lock: RunLock, state: JobState, mode: 'w' | 'wx'): JobFile {
    const file = openSync(lock.path, mode)
    const job = new JobFile(file, lock, state)
    try {
      job.#store(state)
    } catch (error) {
      closeSync(file)
      rmSync(lock.path, { force: true })
      throw error
    }
    return job
  }

  /** Appends text to the output, then replaces the state. */
  append(text: string, change: Pick<JobState, 'next' | 'records' | 'credits'>): void {
    const bytes = Buffer.from(text)
    const start = this.state.bytes
    this.#lock.free()
    let written = 0
    try {
      while (written < bytes.length)
        written += writeSync(this.#file, bytes, written, bytes.length - written, start + written)
      fsyncSync(this.#file)
    } catch (error) {
      ftruncateSync(this.#file, start)
      throw error
    }
    this.#store({ ...this.state, ...change, bytes: start + bytes.length })
    this.#reserved = Math.max(this.#reserved, 2 * bytes.length)
  }

  /** Replaces the credits in the state. */
  keepCredits(credits: number): void {
    if (credits !== this.state.credits) this.#store({ ...this.state, credits })
  }

  /** @param credits What all runs have cost in the end. */
  close(credits: number): void {
    this.#lock.free()
    closeSync(this.#file)
    try {
      this.keepCredits(credits)
    } catch {
      // The state still has the highest cost of the page, and the caller the error that ended the job.
    }
    this.#lock.release()
  }

  /** Takes disk space for the next page, so that a full disk ends the job before it buys the page. */
  reserve(): void {
    this.#lock.reserve(this.#reserved)
  }

  #store(state: JobState): void {
    this.#lock.replace(statePathOf(this.#lock), `${JSON.stringify(state)}\n`)
    this.state = state
  }
}

function statePathOf({ path }: RunLock): string {
  return `${path}.state.json`
}

function parseState(path: string, text: string): JobState {
  try {
    const state: unknown = JSON.parse(text)
    if (
      isRecord(state) &&
      Number.isSafeInteger(state['bytes']) &&
      Number.isFinite(state['credits']) &&
      'next' in state
    )
      return state as unknown as JobState
  } catch {
    // Refused below.
  }
  throw new UsageError(`${path} is not the state of a job`)
}
