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
import { canonicalJson } from '../lib/canonical-json.ts'
import { UsageError } from './command-errors.ts'
import { type JobOutput, type JobState, parseProgress } from './job-output.ts'
import { RunLock } from './run-lock.ts'

/** What a state must have. */
const needed = ['next', 'bytes', 'records', 'credits']

/**
 * The output of a job and the state beside it, which no other process writes meanwhile. Flushes each page to the output, and then the state with the new length. So
 * if the process dies, only the page under way is bought again: a resumed job cuts the output to the length in the state.
 */
export class JobFile implements JobOutput {
  readonly #lock: RunLock
  readonly #statePath: string
  readonly #file: number
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
    const text = readFileSync(this.#statePath, 'utf8')
    const state = parseProgress(text, this.#statePath, needed) as unknown as JobState
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
    try {
      writeFileSync(this.#file, text)
      fsyncSync(this.#file)
    } catch (error) {
      ftruncateSync(this.#file, start)
      throw error
    }
    this.#store({ ...this.state, ...change, bytes: start + length })
  }

  keepCredits(credits: number): void {
    if (credits !== this.state.credits) this.#store({ ...this.state, credits })
  }

  /** @param credits What all runs have cost in the end. */
  close(credits: number): void {
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

  #store(state: JobState): void {
    this.#lock.replace(this.#statePath, `${JSON.stringify(state)}\n`)
    this.state = state
  }
}
