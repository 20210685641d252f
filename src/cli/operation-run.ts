import { itemsOf } from '../api/list-items.ts'
import type { Operation } from '../api/operation.ts'
import type { OpenRecord } from '../api/endpoints/undocumented.ts'
import type { PagedOptions, SocialSearch, Wait } from '../index.ts'
import { valueAt } from '../lib/json.ts'
import type { RecordDatabase } from './database/record-database.ts'
import type { createFormatter } from './formats.ts'
import type { InterruptHandler } from './interrupt-handler.ts'
import { type JobState, type OperationOutcome, doneText } from './operation-end.ts'
import { pagesOf } from './options.ts'
import { print, showProgress, waitText } from './terminal.ts'

/** What a run of an operation needs. */
export interface OperationJob {
  readonly operation: Operation
  readonly id: string | undefined
  /** Those of the first page, with the extra ones. */
  readonly params: object
  /** The file; undefined if records are printed. */
  readonly out: string | undefined
  readonly client: SocialSearch
  readonly interrupt: InterruptHandler
  readonly formatter: ReturnType<typeof createFormatter>
  readonly database: RecordDatabase | undefined
  /** Where earlier runs have ended. */
  readonly earlier: JobState
  readonly options: PagedOptions
}

/** Makes the calls of one operation, until they end, whatever ends them. */
export class OperationRun {
  readonly #job: OperationJob
  #state: JobState
  #pages = 0
  /** Records that the file did not have. */
  #stored = 0
  /** Records that are paid for, and beyond `--limit`. */
  #leftOut = 0
  /** How many items there are, if the service says so. */
  #total: number | undefined
  /** A page that is paid for, and neither stored nor printed. */
  #unwritten: OpenRecord | undefined

  constructor(job: OperationJob) {
    this.#job = job
    this.#state = job.earlier
  }

  async run(): Promise<OperationOutcome> {
    const { interrupt } = this.#job
    const ended = await this.#fetch().catch((error: unknown) => ({ error }))
    const { signal } = interrupt
    try {
      this.noteCredits()
    } catch {
      // The state still has the highest cost of the page, and the caller the error that ended the job.
    }
    return {
      ...this.#outcome(),
      ...{ ended, stopped: signal.aborted ? { reason: signal.reason as unknown } : undefined },
    }
  }

  /** Keeps the highest cost of a page before it is sent, so that a kill cannot hide it from the budget. */
  noteCredits(): void {
    if (this.#credits() !== this.#state.credits) this.#save([], {})
  }

  showWait(wait: Wait): void {
    showProgress(`${waitText(wait)} · ${doneText(this.#outcome(), this.#job.out)}`)
  }

  async #fetch(): Promise<'closed' | undefined> {
    const { operation, id, params, out, client, interrupt, formatter, options } = this.#job
    const isFree = operation.price.kind === 'free'
    for await (const page of pagesOf(client, operation, { params, id, state: this.#state }, options)) {
      this.#unwritten = page
      const total = valueAt(page, ['meta', 'total'])
      if (typeof total === 'number') this.#total = total
      const items = operation.list === undefined ? [page] : (itemsOf(operation, page) ?? [page])
      const { records } = this.#state
      // A database takes whole pages, so that --resume buys no page twice.
      const most = out === undefined && options.limit !== undefined ? options.limit - records : items.length
      const written = items.slice(0, most)
      if (!isFree) this.#leftOut += items.length - written.length
      this.#pages++
      if (out === undefined && !(await print(formatter.page(written), formatter.isStyled))) return 'closed'
      const next = operation.paging === undefined ? null : (page['next'] as object | null)
      this.#save(written, { next, records: records + written.length })
      this.#unwritten = undefined
      showProgress(doneText(this.#outcome(), out))
      interrupt.pageIsWritten()
    }
    if (out === undefined && this.#state.records === 0 && formatter.isStyled) await print('nothing found\n')
    return undefined
  }

  /** Stores records and progress, or neither. */
  #save(records: readonly unknown[], progress: Partial<JobState>): void {
    const { operation, database, client, params } = this.#job
    const changed = { ...this.#state, ...progress, credits: this.#credits() }
    const job = { operation: operation.id, params }
    this.#stored += database?.store({ job, progress: changed, records, credits: client.credits }) ?? 0
    this.#state = changed
  }

  /** Of all runs together: spent, perhaps spent, and reserved. */
  #credits(): number {
    const { spent, uncertain, reserved } = this.#job.client.credits
    return this.#job.earlier.credits + spent + uncertain + reserved
  }

  #outcome(): Omit<OperationOutcome, 'ended' | 'stopped'> {
    return {
      ...{ state: this.#state, pages: this.#pages, stored: this.#stored, leftOut: this.#leftOut },
      credits: this.#credits() - this.#job.client.credits.reserved,
      total: this.#total,
      unwritten: this.#unwritten,
    }
  }
}
