import type { Operation } from '../api/operation.ts'
import { RecordDatabase } from './record-database.ts'

/** How far a job is. */
export interface JobState {
  /** Params of the next page; null after the last one. */
  readonly next: object | null
  readonly records: number
  /** Credits that all runs have spent or may have spent. */
  readonly credits: number
}

/** The records of a job in an SQLite file, in one transaction with its progress. */
export class JobDatabase {
  readonly #database: RecordDatabase
  readonly #job: object
  state: JobState

  private constructor(database: RecordDatabase, job: object, state: JobState) {
    this.#database = database
    this.#job = job
    this.state = state
  }

  /** @param resume Whether to continue an earlier run, if there is one. */
  static async open(
    path: string,
    {
      operation,
      params,
      fields,
    }: { operation: Operation; params: object; fields?: readonly string[] | undefined },
    resume = false,
  ): Promise<JobDatabase> {
    const job = { operation: operation.id, params }
    const needed = resume ? ['next', 'records', 'credits'] : undefined
    const database = await RecordDatabase.open(path, { operation, fields, jobs: [job], needed })
    const [stored] = database.progress
    return new JobDatabase(database, job, { next: params, records: 0, credits: 0, ...stored })
  }

  /** Stores a page and the progress, or neither. */
  append(records: readonly unknown[], state: JobState): void {
    const { next, records: count, credits } = state
    this.#database.store(records, this.#job, { next, records: count, credits })
    this.state = state
  }

  keepCredits(credits: number): void {
    if (credits !== this.state.credits) this.append([], { ...this.state, credits })
  }

  /** @param credits What all runs have cost in the end. */
  close(credits: number): void {
    try {
      this.keepCredits(credits)
    } catch {
      // The state still has the highest cost of the page, and the caller the error that ended the job.
    }
    this.#database.close()
  }
}
