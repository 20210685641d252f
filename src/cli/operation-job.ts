import { itemsOf } from '../api/list-items.ts'
import type { Operation } from '../api/operation.ts'
import type { OperationId } from '../api/operations.ts'
import { withExtra } from '../extend.ts'
import type { SocialSearch } from '../index.ts'
import { valueAt } from '../lib/json.ts'
import { UsageError } from './command-errors.ts'
import type { Machine } from './machine.ts'
import { type JobCounts, type JobFacts, type JobState, endOf, statusOf } from './operation-report.ts'
import { confirmWalk } from './quote.ts'
import { storedProgress } from './database/record-database.ts'
import { type SharedFlags, commandOf, expectedOf, extraParamsOf, paramsOf } from './flags.ts'
import { budgetOf, pagesOf, walkOptions } from './client.ts'
import type { Batch, Ending, Job, RunContext, RunEnd } from './run.ts'
import { say } from './terminal.ts'

type OperationFlags = SharedFlags & Readonly<Record<string, unknown>>

/** The calls of one operation: one page, or several, of all runs with `--resume` together. */
export class OperationJob implements Job {
  readonly operation: Operation
  readonly command: string
  readonly jobs: readonly [{ readonly operation: string; readonly params: object }]
  readonly needed: readonly string[] | undefined
  readonly #flags: OperationFlags
  readonly #id: string | undefined
  /** The params without the extra ones. */
  readonly #known: Readonly<Record<string, unknown>>
  readonly #counts: JobCounts = { pages: 0, stored: 0, leftOut: 0, total: undefined }
  #client: SocialSearch | undefined
  #earlier: JobState
  #state: JobState

  /** @throws {UsageError} */
  constructor(operation: Operation, positional: string | undefined, flags: OperationFlags) {
    const { out, resume } = flags
    if (out === undefined && resume === true)
      throw new UsageError('--resume needs --out, the .db file to continue')
    if (out !== undefined && (flags.format ?? flags.fields) !== undefined)
      throw new UsageError('--format and --fields are for printed records; leave them out with --out')
    const { params: known, id } = paramsOf(operation, flags, positional)
    const extraParams = extraParamsOf(flags)
    const params = extraParams === undefined ? known : withExtra(known, extraParams)
    walkOptions(flags)
    this.operation = operation
    this.command = commandOf(operation.id)
    this.jobs = [{ operation: operation.id, params }]
    this.needed = resume === true ? ['next', 'records', 'credits'] : undefined
    this.#flags = flags
    this.#id = id
    this.#known = known
    this.#state = this.#earlier = { next: params, records: 0, credits: 0 }
  }

  async confirm({ budget }: Machine): Promise<void> {
    const { out, resume } = this.#flags
    const [before] = out === undefined || resume === true ? [] : await storedProgress(out, this.jobs)
    if (before?.['next'] === null && this.operation.price.kind !== 'free')
      say(
        `${out} already has this whole job. This run pays for it again, to add what is new; with --resume, it would pay nothing.`,
      )
    await confirmWalk(this.operation, this.jobs[0].params, { ...this.#flags, budget })
  }

  check(client: SocialSearch): void {
    this.#client = client
    client.quote(this.operation.id as OperationId, this.#id ?? this.#known)
    budgetOf(this.#flags)
  }

  async *batches({ client, signal, earlier }: RunContext): AsyncGenerator<Batch, void, number> {
    const { operation } = this
    const flags = this.#flags
    const counts = this.#counts
    const [{ params }] = this.jobs
    this.#state = this.#earlier = { ...this.#earlier, ...earlier[0] }
    const expected = expectedOf(flags)
    const options = {
      ...{ ...walkOptions(flags), extraParams: extraParamsOf(flags), signal },
      // Of all runs together, as the budget is.
      expectedItems: expected && Math.max(1, expected - this.#earlier.records),
      budget: budgetOf(flags, this.#earlier.credits),
    }
    for await (const page of pagesOf(
      client,
      operation,
      { params, id: this.#id, state: this.#state },
      options,
    )) {
      const total = valueAt(page, ['meta', 'total'])
      if (typeof total === 'number') counts.total = total
      const items = operation.list === undefined ? [page] : (itemsOf(operation, page) ?? [page])
      // A database takes whole pages, so that --resume buys no page twice.
      const most =
        flags.out === undefined && options.limit !== undefined
          ? options.limit - this.#state.records
          : items.length
      const records = items.slice(0, most)
      if (operation.price.kind !== 'free') counts.leftOut += items.length - records.length
      counts.pages++
      const next = operation.paging === undefined ? null : (page['next'] as object | null)
      const progress = { next, records: this.#state.records + records.length, credits: this.#credits() }
      counts.stored += yield { job: this.jobs[0], progress, records }
      this.#state = progress
    }
  }

  underWay(): { job: object; progress: JobState } {
    return { job: this.jobs[0], progress: { ...this.#state, credits: this.#credits() } }
  }

  status(): string {
    return statusOf(this.#facts)
  }

  end(ending: Ending): RunEnd {
    return endOf(this.#facts, ending)
  }

  get #facts(): JobFacts {
    const { operation } = this
    const [{ params }] = this.jobs
    const { reserved = 0 } = this.#client?.credits ?? {}
    return {
      ...{ operation, params, flags: this.#flags, counts: this.#counts },
      ...{ earlier: this.#earlier, state: this.#state, credits: this.#credits(), reserved },
    }
  }

  /** Of all runs together: spent, uncertain and reserved. */
  #credits(): number {
    const { spent = 0, uncertain = 0, reserved = 0 } = this.#client?.credits ?? {}
    return this.#earlier.credits + spent + uncertain + reserved
  }
}
