import { itemsOf } from '../api/list-items.ts'
import { boundOf } from '../api/price.ts'
import type { OpenRecord } from '../api/endpoints/undocumented.ts'
import type { Operation } from '../api/operation.ts'
import type { OperationId } from '../api/operations.ts'
import { ApiError, CreditBudgetError, SocialSearchError } from '../errors/index.ts'
import { PagedCall, clientTransport, withExtra } from '../extend.ts'
import { type PagedOptions, type SocialSearch, CreditBudget } from '../index.ts'
import { count } from '../lib/count.ts'
import { valueAt } from '../lib/json.ts'
import { sourceOf } from './account.ts'
import type { OpenClient } from './client.ts'
import { CommandError, UsageError, exitNameOf } from './command-errors.ts'
import type { RecordDatabase, StoredPage } from './database/record-database.ts'
import { withRecords } from './database/open-database.ts'
import { progressOf, unreadableState } from './database/searches.ts'
import { type SharedFlags, paramsOf, walkOptions } from './flags.ts'
import { commandOf, kebab } from './command-names.ts'
import { quoteFor } from './quote.ts'
import type { Job, RunEnd } from './run.ts'
import { toStderr } from './terminal.ts'

/** How far a job is, in all its runs together, as a file keeps it. */
interface JobProgress {
  /** Params of the next page; null after the last one. */
  readonly next: object | null
  readonly records: number
  /** Credits of the job, spent or perhaps spent. */
  readonly credits: number
  /** Those of all calls for the same search, by the rows of the file: what came since is of this job, too. */
  readonly paid: number
  /** Whether there is a next page, and the service did not say which. */
  readonly lost?: true
}

/** The calls of one operation: one page, or several, of all runs with `--resume` together. */
export class OperationJob implements Job {
  readonly operation: Operation
  readonly command: string
  readonly searchKeys: readonly [{ readonly operation: string; readonly params: object }]
  readonly #flags: SharedFlags
  readonly #id: string | undefined
  /** The params without the extra ones. */
  readonly #known: Readonly<Record<string, unknown>>
  #client: SocialSearch | undefined
  /** How far it was before this run, with all that it had cost. */
  #earlier: JobProgress
  /** How far it is with the last page, also one that could not be written. */
  #progress: JobProgress
  /** How many this run has read. */
  #pages = 0
  /** Records that the file did not have. */
  #stored = 0
  /** Records that are paid for, and not shown because of `--limit`. */
  #leftOut = 0
  /** How many items there are, if the service says so. */
  #total: number | undefined

  /** @throws {UsageError} */
  constructor(operation: Operation, positional: string | undefined, flags: SharedFlags) {
    const { out, resume, extraParams } = flags
    if (out === undefined && resume === true)
      throw new UsageError('--resume needs --out, the .db file to continue')
    if (out !== undefined && (flags.format ?? flags.fields) !== undefined)
      throw new UsageError('--format and --fields are for printed records; leave them out with --out')
    const { params: known, id } = paramsOf(operation, flags, positional)
    const params = extraParams === undefined ? known : withExtra(known, extraParams)
    walkOptions(flags)
    this.operation = operation
    this.command = commandOf(operation.id)
    this.searchKeys = [{ operation: operation.id, params, ...sourceOf(flags.sandbox) }]
    this.#flags = flags
    this.#id = id
    this.#known = known
    this.#progress = this.#earlier = { next: params, records: 0, credits: 0, paid: 0 }
  }

  async prepare(client: SocialSearch): Promise<string | undefined> {
    const { price } = this.operation
    const { out, resume, all } = this.#flags
    this.#client = client
    client.quote(this.operation.id as OperationId, this.#id ?? this.#known)
    if (out !== undefined && resume !== true && price.kind !== 'free' && (await this.#isWholeIn(out)))
      toStderr(
        `${out} already has this whole job. This run pays for it again, to add what is new; with --resume, it would pay nothing.`,
      )
    if (price.kind === 'free' || (price.kind === 'perRequest' && all !== true)) return undefined
    const { why } = quoteFor(this.operation, this.searchKeys[0].params, this.#flags)
    return `${all === true ? '--all' : this.command} costs ${why}`
  }

  /** Whether a file has all pages, also while another run of the job has its lock. */
  async #isWholeIn(path: string): Promise<boolean> {
    // What is wrong with the file is said when the run opens it.
    const before = await withRecords(path, '--out', (file) =>
      file.run(() => progressOf(file.database, this.searchKeys[0])),
    ).catch(() => undefined)
    const { next, lost } = (before?.progress ?? {}) as Partial<JobProgress>
    return next === null && lost !== true
  }

  async *pages(
    { client, budget }: OpenClient,
    file: RecordDatabase | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<StoredPage, void, number> {
    const { operation } = this
    const { out, limit, expect, extraParams } = this.#flags
    const begun = await this.#takeUp(file)
    if (begun !== undefined) yield begun
    const options = {
      ...{ ...walkOptions(this.#flags), extraParams, signal },
      // Of all runs together, as the budget is.
      expectedItems: expect && Math.max(1, expect - this.#earlier.records),
      ...(budget instanceof CreditBudget && {
        budget: new CreditBudget(Math.max(0, budget.limit - this.#earlier.credits)),
      }),
    }
    for await (const page of this.#answers(client, options)) {
      this.#pages++
      const total = valueAt(page, ['meta', 'total'])
      if (typeof total === 'number') this.#total = total
      const items = operation.list === undefined ? [page] : (itemsOf(operation, page) ?? [page])
      // A database takes whole pages, so that --resume buys no page twice.
      const room = out === undefined && limit !== undefined ? limit - this.#progress.records : Infinity
      const records = items.slice(0, room)
      if (operation.price.kind !== 'free') this.#leftOut += items.length - records.length
      const next = operation.paging === undefined ? null : (page['next'] as object | null)
      const all = this.#progress.records + records.length
      const isLost =
        next === null && operation.paging?.kind === 'cursor' && valueAt(page, ['meta', 'hasMore']) === true
      const credits = this.#credits()
      this.#progress = {
        ...{ next, records: all, credits, paid: this.#earlier.paid + credits - this.#earlier.credits },
        ...(isLost && { lost: true }),
      }
      this.#stored += yield { searchKey: this.searchKeys[0], progress: this.#progress, records }
    }
  }

  /** Takes up an earlier run of the job, with all that it has cost. Returns the state that it goes on from, to be stored first. */
  async #takeUp(file: RecordDatabase | undefined): Promise<StoredPage | undefined> {
    const [searchKey] = this.searchKeys
    const { progress, paid = 0 } = (await file?.progressOf(searchKey)) ?? {}
    const isResumed = this.#flags.resume === true
    // Until a run has a page, it has no state. An earlier one can be resumed then, and counts what this one has cost.
    const known = isResumed ? progress && { paid, ...checked(progress) } : { paid }
    const earlier = { ...this.#earlier, ...known }
    // A user may have deleted rows.
    const credits = earlier.credits + Math.max(0, paid - earlier.paid)
    this.#progress = this.#earlier = { ...earlier, credits, paid }
    // From here on, each new row counts, also if older ones are gone.
    return isResumed && progress
      ? { searchKey, progress: this.#progress, records: [], hasFailed: true }
      : undefined
  }

  /** The pages, or the only answer of an operation without pages; none after the last page. */
  async *#answers(client: SocialSearch, options: PagedOptions): AsyncGenerator<OpenRecord> {
    if (this.#progress.next === null) return
    const { operation } = this
    const [{ params }] = this.searchKeys
    const transport = clientTransport(client.transport)
    if (operation.paging === undefined)
      yield (await transport.request(operation, params, options, this.#id)).body as OpenRecord
    else
      yield* new PagedCall<OpenRecord, unknown>(transport, operation, params, options)
        .resume(this.#progress)
        .pages()
  }

  searchKeyOf(): object {
    return this.searchKeys[0]
  }

  /** What has been spent, or may have been, in all runs together. */
  #credits(): number {
    const { spent = 0, uncertain = 0 } = this.#client?.credits ?? {}
    return this.#earlier.credits + spent + uncertain
  }

  /** What has been fetched and paid for: `40 records (12 new) · 4 credits`. */
  status(): string {
    const stored = this.#flags.out === undefined ? '' : ` (${this.#stored} new)`
    const cost = `${count(this.#progress.records, 'record')}${stored} · ${count(this.#credits(), 'credit')}`
    return this.#leftOut === 0
      ? cost
      : `${cost} · ${this.#leftOut} more paid for, not shown because of --limit`
  }

  end(reason: unknown): RunEnd {
    const end = reason === undefined ? this.#success() : this.#failure(reason)
    const { price, list } = this.operation
    const expected =
      price.kind === 'perItem'
        ? quoteFor(this.operation, this.searchKeys[0].params, this.#flags).expected
        : null
    const credits = this.#credits()
    if (expected === null || credits <= expected) return end
    const more = `Charged ${count(credits, 'credit')}, not ${expected}: more ${list} came than expected`
    return { ...end, notes: [...(end.notes ?? []), more] }
  }

  #success(): RunEnd {
    const { all, limit } = this.#flags
    const { next, records } = this.#progress
    const unread = this.#unread()
    if (unread !== undefined) return this.#failure(new CommandError('budget', unread))
    const hasNextPage = limit === undefined && all !== true && next !== null
    const isComplete = this.#earlier.next === null
    const missing = missingText(this.operation, this.searchKeys[0].params, records, this.#total)
    return {
      notes: missing === undefined ? [] : [missing],
      next: hasNextPage ? this.#continuation(next) : undefined,
      summary:
        this.status() + (isComplete ? ' · complete: nothing was sent' : hasNextPage ? ' · more: --all' : ''),
    }
  }

  /** Why the job has less than the flags ask for, though nothing has failed; undefined if it has all. */
  #unread(): string | undefined {
    const { next, records } = this.#progress
    const { maxPages = Infinity, limit = Infinity } = walkOptions(this.#flags)
    if (this.#earlier.lost === true)
      return 'there is more, but the service did not say where; run the command without --resume, which starts over'
    const isCut = next !== null && this.#pages < maxPages && records - this.#earlier.records < limit
    return isCut ? 'the service says that there is more, but sent three empty pages in a row' : undefined
  }

  #failure(reason: unknown): RunEnd {
    const isStored = this.#flags.out !== undefined
    const known = reason instanceof SocialSearchError ? reason.next : undefined
    const next = known === undefined ? this.#progress.next : known
    // A request that the service finds invalid stays so.
    const isFinal = exitNameOf(reason) === 'usage' || (reason instanceof ApiError && reason.status === 400)
    const hasBegun = this.#pages > 0 || isStored
    const isWanted = isStored || this.#progress.records < (this.#flags.limit ?? Infinity)
    const canContinue =
      next !== null && this.operation.paging !== undefined && !isFinal && hasBegun && isWanted
    // The budgets that commands share have periods.
    const isOfJob =
      isStored && reason instanceof CreditBudgetError && reason.refusedBy instanceof CreditBudget
    const more = isOfJob ? ' and a higher --budget, which counts all runs' : ''
    return {
      ...(hasBegun && { summary: this.status() }),
      reason,
      next: canContinue ? this.#continuation(next) + more : undefined,
    }
  }

  /** The command that fetches the next page. */
  #continuation(next: object): string {
    const { out, limit } = this.#flags
    if (out !== undefined) return 'the same command with --resume'
    const { param = '' } = this.operation.paging as { param?: string }
    const page = this.operation.documented
      ? [`--${param}`, String((next as Readonly<Record<string, string | number>>)[param])]
      : ['--params', JSON.stringify(next)]
    const rest = limit === undefined ? [] : ['--limit', String(limit - this.#progress.records)]
    return ['the same command with', ...[...page, ...rest].map(shellWord)].join(' ')
  }
}

/**
 * Says that a job got as many items as its params allow, and how to get those that are missing; undefined if none is.
 *
 * @param total How many there are, if the service says so.
 */
function missingText(
  operation: Operation,
  params: object,
  records: number,
  total: number | undefined,
): string | undefined {
  const bound = boundOf(operation.price)
  if (!bound) return undefined
  const given = (params as Readonly<Record<string, unknown>>)[bound.param] ?? bound.default
  if (records < Number(given) || (total ?? Infinity) <= records) return undefined
  const { list = 'items' } = operation
  const got = `Got ${records}${total === undefined ? '' : ` of ${total}`} ${list}`
  if (records >= bound.most) return `${got}. The service returns at most ${bound.most}`
  const most = Math.min(total ?? bound.most, bound.most)
  return `${got}. To get more, pass --${kebab(bound.param)} ${most}; you pay for the first ${records} again`
}

/** A word as a shell takes it. */
export function shellWord(text: string): string {
  return /^[\w.,:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** @throws {UsageError} for a state without which pages would be paid again. */
function checked(progress: object): object {
  const { next, records, credits, paid = 0 } = progress as Partial<JobProgress>
  const isCounted = [records, credits, paid].every((number) => Number.isFinite(number) && Number(number) >= 0)
  if (typeof next === 'object' && isCounted) return progress
  throw new UsageError(unreadableState)
}
