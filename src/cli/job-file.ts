import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { isRecord } from '../lib/is-record.ts'
import { parsed } from '../lib/json.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { UsageError } from './command-errors.ts'
import type { JobOutput, JobState } from './job-output.ts'
import { RunLock } from './run-lock.ts'

/**
 * The output of a job and the state beside it, which no other process writes meanwhile. Flushes each page to the output, and then the state with the new length. So
 * if the process dies, only the page under way is bought again: a resumed job cuts the output to the length in the state.
 */
export class JobFile implements JobOutput {
  readonly #lock: RunLock
  readonly #statePath: string
  readonly #file: number
  #reserved = 256 * 1024
  /** Whether the files are of this run, and have nothing. */
  #isUnused = false
  state: JobState

  /**
   * @param resume Opens the output of an earlier run, if there is one, and cuts off an incomplete page. Otherwise, the output must not exist.
   */
  constructor(path: string, state: JobState, { resume = false } = {}) {
    this.#lock = new RunLock(path)
    this.#statePath = `${this.#lock.path}.state.json`
    this.state = state
    try {
      this.#file = resume ? this.#resume() : this.#create()
    } catch (error) {
      this.#lock.release()
      throw error
    }
  }

  #create(): number {
    for (const name of [this.#lock.path, this.#statePath])
      if (existsSync(name))
        throw new UsageError(`${name} exists; pass --resume to continue it, or another --out`)
    return this.#begin('ax')
  }

  #resume(): number {
    const { path } = this.#lock
    if (!existsSync(this.#statePath)) {
      // The earlier process may have died just after it created the output.
      if (!existsSync(path) || readFileSync(path).length === 0) return this.#begin('a')
      throw new UsageError(`${this.#statePath} is missing, so ${path} cannot be resumed; pass another --out`)
    }
    const state = parseState(this.#statePath)
    for (const name of ['operation', 'params', 'format', 'fields'] as const)
      if (canonicalJson(state[name]) !== canonicalJson(this.state[name]))
        throw new UsageError(`${this.#statePath} belongs to another job: ${name} differs; pass another --out`)
    const file = openSync(path, state.bytes === 0 ? 'a' : constants.O_APPEND | constants.O_WRONLY)
    const { size } = fstatSync(file)
    if (size < state.bytes) {
      closeSync(file)
      throw new UsageError(
        `${path} has ${size} bytes, and ${this.#statePath} says ${state.bytes}: something else has changed it`,
      )
    }
    ftruncateSync(file, state.bytes)
    this.state = state
    return file
  }

  #begin(mode: 'a' | 'ax'): number {
    const isNew = !existsSync(this.#lock.path)
    const file = openSync(this.#lock.path, mode)
    try {
      this.#store(this.state)
      this.#isUnused = isNew
      return file
    } catch (error) {
      closeSync(file)
      rmSync(this.#lock.path, { force: true })
      throw error
    }
  }

  /** Appends text to the output, then replaces the state. */
  append(text: string, change: Pick<JobState, 'next' | 'records' | 'credits'>): void {
    const start = this.state.bytes
    const length = Buffer.byteLength(text)
    this.#isUnused = false
    this.#lock.free()
    try {
      writeFileSync(this.#file, text)
      fsyncSync(this.#file)
    } catch (error) {
      ftruncateSync(this.#file, start)
      throw error
    }
    this.#store({ ...this.state, ...change, bytes: start + length })
    this.#reserved = Math.max(this.#reserved, 2 * length)
  }

  keepCredits(credits: number): void {
    if (credits !== this.state.credits) this.#store({ ...this.state, credits })
  }

  /** @param credits What all runs have cost in the end. */
  close(credits: number): void {
    this.#lock.free()
    closeSync(this.#file)
    try {
      if (this.#isUnused && credits === 0)
        for (const path of [this.#lock.path, this.#statePath]) rmSync(path, { force: true })
      else this.keepCredits(credits)
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
    this.#lock.replace(this.#statePath, `${JSON.stringify(state)}\n`)
    this.state = state
  }
}

function parseState(path: string): JobState {
  const state = parsed(readFileSync(path, 'utf8'))
  if (
    isRecord(state) &&
    Number.isSafeInteger(state['bytes']) &&
    Number.isFinite(state['credits']) &&
    'next' in state
  )
    return state as unknown as JobState
  throw new UsageError(`${path} is not the state of a job`)
}
