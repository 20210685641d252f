import { itemsOf } from '../api/list-items.ts'
import type { Operation } from '../api/operation.ts'
import type { OperationId } from '../api/operations.ts'
import { ApiError, CreditBudgetError, SocialSearchError } from '../errors/index.ts'
import { withExtra } from '../extend.ts'
import type { SocialSearch } from '../index.ts'
import { count } from '../lib/count.ts'
import { valueAt } from '../lib/json.ts'
import { UsageError, exitCodeOf, exitCodes } from './command-errors.ts'
import type { Machine } from './machine.ts'
import { PeriodBudget } from './period-budget.ts'
import { confirmWalk, quoteFor } from './quote.ts'
import { storedProgress } from './database/record-database.ts'
import {
  type SharedFlags,
  expectedOf,
  extraParamsOf,
  paramsOf,
  shellWord,
  missingText,
  commandOf,
} from './flags.ts'
import { budgetOf, pagesOf, walkOptions } from './client.ts'
import type { Batch, Ending, Job, RunContext, RunEnd } from './run.ts'
import { say } from './terminal.ts'

type OperationFlags = SharedFlags & Readonly<Record<string, unknown>>

/** How far a job is, as a file keeps it. */
export type JobState = {
  /** Params of the next page; null after the last one. */
  readonly next: object | null
  readonly records: number
  /** Credits that all runs have spent, may have spent, or have reserved. */
  readonly credits: number
}

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
  #client: SocialSearch | undefined
  #earlier: JobState
  #state: JobState
  #pages = 0
  /** Records that the file did not have. */
  #stored = 0
  /** Records that are paid for, and not shown because of `--limit`. */
  #leftOut = 0
  /** How many items there are, if the service says so. */
  #total: number | undefined

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
    const [before] = out === undefined || resume === true ? [] : storedProgress(out, this.jobs)
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
      if (typeof total === 'number') this.#total = total
      const items = operation.list === undefined ? [page] : (itemsOf(operation, page) ?? [page])
      // A database takes whole pages, so that --resume buys no page twice.
      const most =
        flags.out === undefined && options.limit !== undefined
          ? options.limit - this.#state.records
          : items.length
      const records = items.slice(0, most)
      if (operation.price.kind !== 'free') this.#leftOut += items.length - records.length
      this.#pages++
      const next = operation.paging === undefined ? null : (page['next'] as object | null)
      const progress = { next, records: this.#state.records + records.length, credits: this.#credits() }
      this.#stored += yield { job: this.jobs[0], progress, records }
      this.#state = progress
    }
  }

  underWay(): { job: object; progress: JobState } {
    return { job: this.jobs[0], progress: { ...this.#state, credits: this.#credits() } }
  }

  /** What has been fetched and paid for: `40 records (12 new) · 4 credits`. */
  status(): string {
    const { out } = this.#flags
    const records = `${count(this.#state.records, 'record')}${out === undefined ? '' : ` (${this.#stored} new)`}`
    const cost = `${records} · ${count(this.#credits() - (this.#client?.credits.reserved ?? 0), 'credit')}`
    return this.#leftOut === 0
      ? cost
      : `${cost} · ${this.#leftOut} more paid for, not shown because of --limit`
  }

  end(ending: Ending): RunEnd {
    if (ending.isClosed) return { summary: this.status() }
    const end = ending.reason === undefined ? this.#success() : this.#failure(ending)
    const { price, list } = this.operation
    const expected =
      price.kind === 'perItem' ? quoteFor(this.operation, this.jobs[0].params, this.#flags).expected : null
    const credits = this.#credits()
    if (expected === null || credits <= expected) return end
    const more = `Charged ${count(credits, 'credit')}, not ${expected}: more ${list} came than expected`
    return { ...end, notes: [...(end.notes ?? []), more] }
  }

  #success(): RunEnd {
    const { out, all, limit } = this.#flags
    const { next, records } = this.#state
    const hasNextPage = limit === undefined && all !== true && next !== null
    const rest =
      this.#earlier.next === null ? ' · complete: nothing was sent' : hasNextPage ? ' · more: --all' : ''
    const missing = missingText(this.operation, this.jobs[0].params, records, this.#total)
    const empty = 'The service says that there is more, but sent empty pages. To continue: '
    return {
      notes: [
        ...(all === true && next !== null ? [empty + this.#continuation(next)] : []),
        ...(missing === undefined ? [] : [missing]),
      ],
      next: hasNextPage ? this.#continuation(next) : undefined,
      summary: this.status() + rest,
      ...(records === 0 && out === undefined && { output: 'nothing found\n' }),
    }
  }

  #failure({ reason, unwritten }: Ending): RunEnd {
    const { out } = this.#flags
    // The page that could not be printed is shown.
    const shown = unwritten?.progress as JobState | undefined
    const known = reason instanceof SocialSearchError ? reason.next : shown?.next
    const next = known === undefined ? this.#state.next : known
    // A request that the service finds invalid stays so.
    const isFinal =
      exitCodeOf(reason) === exitCodes.usage || (reason instanceof ApiError && reason.status === 400)
    const canContinue =
      next !== null &&
      this.operation.paging !== undefined &&
      !isFinal &&
      (this.#pages > 0 || out !== undefined)
    // The budgets that commands share have periods.
    const isOfJob =
      out !== undefined && reason instanceof CreditBudgetError && !(reason.refusedBy instanceof PeriodBudget)
    const budget = isOfJob ? ' and a higher --budget, which counts all runs' : ''
    return {
      ...((this.#pages > 0 || out !== undefined) && { summary: this.status() }),
      reason,
      next: canContinue ? this.#continuation(next) + budget : undefined,
    }
  }

  /** The command that fetches the next page. */
  #continuation(next: object): string {
    const { out } = this.#flags
    if (out !== undefined) return 'the same command with --resume'
    const { limit } = walkOptions(this.#flags)
    const { param = '' } = this.operation.paging as { param?: string }
    const page = this.operation.documented
      ? [`--${param}`, String((next as Readonly<Record<string, string | number>>)[param])]
      : ['--params', JSON.stringify(next)]
    const rest = limit === undefined ? [] : ['--limit', String(limit - this.#state.records)]
    return ['the same command with', ...[...page, ...rest].map(shellWord)].join(' ')
  }

  /** Of all runs together: spent, uncertain and reserved. */
  #credits(): number {
    const { spent = 0, uncertain = 0, reserved = 0 } = this.#client?.credits ?? {}
    return this.#earlier.credits + spent + uncertain + reserved
  }
}
