import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { isRecord } from '../contract/is-record.ts'
import { UsageError } from './command-errors.ts'

/** How far a job has come, as the state file beside its output holds it. */
export interface JobState {
  readonly operation: string
  /** The params that the job was given. */
  readonly params: object
  readonly format: string
  readonly fields: readonly string[] | null
  /** Params of the page to buy next; null if there is none. */
  readonly next: object | null
  /** Length of the output up to which it is whole. */
  readonly bytes: number
  readonly records: number
  readonly credits: number
}

/**
 * The output of a job and the state beside it. Each page is flushed to the output first, and then the state that names its
 * length. So whenever the process dies, the output is whole up to the length in the state, and the rest belongs to the one
 * page that has to be bought again.
 */
export class JobFile {
  readonly #file: number
  readonly #statePath: string
  readonly #reservePath: string
  #reserved = 256 * 1024
  state: JobState

  private constructor(file: number, path: string, state: JobState) {
    this.#file = file
    this.#statePath = statePathOf(path)
    this.#reservePath = `${path}.reserve`
    this.state = state
  }

  /** Creates the output, which must not exist, and its state. */
  static create(path: string, state: JobState): JobFile {
    const statePath = statePathOf(path)
    for (const name of [path, statePath])
      if (existsSync(name))
        throw new UsageError(`${name} exists; pass --resume to go on with it, or another --out`)
    return JobFile.#begin(path, state, 'wx')
  }

  /** Opens the output of an earlier run and cuts off what is not whole; begins a new one if there was none. */
  static resume(path: string, wanted: JobState): JobFile {
    const statePath = statePathOf(path)
    const text = existsSync(statePath) ? readFileSync(statePath, 'utf8') : null
    if (text === null) {
      // A process may have died after it had created the output.
      if (!existsSync(path) || readFileSync(path).length === 0) return JobFile.#begin(path, wanted, 'w')
      throw new UsageError(`${statePath} is missing, so ${path} cannot be resumed; pass another --out`)
    }
    const state = parseState(statePath, text)
    for (const name of ['operation', 'params', 'format', 'fields'] as const)
      if (JSON.stringify(sorted(state[name])) !== JSON.stringify(sorted(wanted[name])))
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
    return new JobFile(file, path, state)
  }

  static #begin(path: string, state: JobState, mode: 'w' | 'wx'): JobFile {
    const file = openSync(path, mode)
    const job = new JobFile(file, path, state)
    try {
      job.#store(state)
    } catch (error) {
      job.close()
      rmSync(path, { force: true })
      throw error
    }
    return job
  }

  /** Adds text to the output, and then says so in the state. */
  append(text: string, change: Pick<JobState, 'next' | 'records' | 'credits'>): void {
    const bytes = Buffer.from(text)
    const start = this.state.bytes
    this.#release()
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

  close(): void {
    this.#release()
    closeSync(this.#file)
  }

  /** Takes disk space for the next page, so that a full disk ends the job before that page is bought. */
  reserve(): void {
    writeFileSync(this.#reservePath, Buffer.alloc(this.#reserved))
  }

  #release(): void {
    rmSync(this.#reservePath, { force: true })
  }

  /** Replaces the state as a whole: a reader finds the old one or the new. */
  #store(state: JobState): void {
    const temporary = `${this.#statePath}.tmp`
    const file = openSync(temporary, 'w')
    try {
      writeSync(file, `${JSON.stringify(state)}\n`)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, this.#statePath)
    syncFolder(dirname(this.#statePath))
    this.state = state
  }
}

function statePathOf(path: string): string {
  return `${path}.state.json`
}

/** Makes a rename durable. Not every system lets a folder be opened. */
function syncFolder(path: string): void {
  try {
    const folder = openSync(path, 'r')
    fsyncSync(folder)
    closeSync(folder)
  } catch {
    // Only a power failure could lose the rename.
  }
}

function parseState(path: string, text: string): JobState {
  try {
    const state: unknown = JSON.parse(text)
    if (isRecord(state) && Number.isSafeInteger(state['bytes']) && 'next' in state)
      return state as unknown as JobState
  } catch {
    // Refused below.
  }
  throw new UsageError(`${path} is not the state of a job`)
}

/** A value with its fields in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  )
}
