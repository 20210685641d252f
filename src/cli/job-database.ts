import { existsSync, readFileSync, rmSync } from 'node:fs'
import type { Operation } from '../api/operation.ts'
import { type JobOutput, type JobState, parseProgress } from './job-output.ts'
import { RecordDatabase, type RecordDatabaseOptions, hashOf } from './record-database.ts'
import { RunLock } from './run-lock.ts'

/** What the stored progress of a job must have. */
const needed = ['next', 'records', 'credits']

/** An open database, and a lock that only equal jobs share: other jobs may write the same file meanwhile. */
export interface LockedDatabase {
  readonly database: RecordDatabase
  readonly lock: RunLock
  readonly close: () => void
}

export async function openLocked(path: string, options: RecordDatabaseOptions): Promise<LockedDatabase> {
  const lock = new RunLock(path, `.${hashOf(options.job).slice(0, 8)}`)
  try {
    const database = await RecordDatabase.open(lock.target, options)
    const close = (): void => {
      database.close()
      lock.release()
    }
    return { database, lock, close }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** The records of a job in an SQLite file, in one transaction with its progress. */
export class JobDatabase implements JobOutput {
  readonly #database: RecordDatabase
  readonly #lock: RunLock
  readonly #close: () => void
  /** Has the credits until the database exists. */
  readonly #creditsPath: string
  state: JobState

  private constructor({ database, lock, close }: LockedDatabase, state: JobState) {
    this.#close = close
    this.#database = database
    this.#lock = lock
    this.#creditsPath = creditsPathOf(lock)
    this.state = state
  }

  static async open(
    path: string,
    start: JobState,
    operation: Operation,
    resume: boolean,
  ): Promise<JobDatabase> {
    const { params, fields } = start
    const job = { operation: operation.id, params }
    const opened = await openLocked(path, { operation, fields: fields ?? undefined, job })
    try {
      const stored = resume && (opened.database.progress(needed) ?? storedCredits(opened.lock))
      return new JobDatabase(opened, { ...start, ...stored })
    } catch (error) {
      opened.close()
      throw error
    }
  }

  keepCredits(credits: number): void {
    if (credits === this.state.credits) return
    const state = { ...this.state, credits }
    if (this.#database.isCreated) this.#store([], state)
    else if (credits > 0) this.#lock.replace(this.#creditsPath, JSON.stringify({ credits }))
    else rmSync(this.#creditsPath, { force: true })
    this.state = state
  }

  append(
    _: string,
    change: Pick<JobState, 'next' | 'records' | 'credits'>,
    records: readonly unknown[],
  ): void {
    this.#store(records, { ...this.state, ...change })
  }

  close(credits: number): void {
    try {
      this.keepCredits(credits)
    } catch {
      // The state still has the highest cost of the page, and the caller the error that ended the job.
    }
    this.#close()
  }

  #store(records: readonly unknown[], state: JobState): void {
    this.#lock.assertHeld()
    const { next, records: count, credits } = state
    this.#database.store(records, { next, records: count, credits })
    rmSync(this.#creditsPath, { force: true })
    this.state = state
  }
}

function creditsPathOf({ path }: RunLock): string {
  return `${path}.state.json`
}

function storedCredits(lock: RunLock): object | undefined {
  const path = creditsPathOf(lock)
  return existsSync(path) ? parseProgress(readFileSync(path, 'utf8'), path, ['credits']) : undefined
}
