import {
  type SearchBatch,
  type SearchToWatch,
  type WatchState,
  watchSearches,
} from '../extensions/watch/index.ts'
import { type DueSearch, type Funds, dueTimes, retryMs } from '../extensions/watch/due.ts'
import { hasMore } from '../extensions/watch/spans.ts'
import type { OperationId } from '../api/operations.ts'
import type { SocialSearchError } from '../errors/index.ts'
import type { Call } from '../extend.ts'
import type { Budget, BudgetOutlook, SocialSearch } from '../index.ts'
import { count } from '../lib/count.ts'
import { UsageError, exitNameOf } from './command-errors.ts'
import { complain } from './error-text.ts'
import type { Machine } from './machine.ts'
import { confirmWatch } from './quote.ts'
import { ageOf, millisecondsOf, wholeNumberOf } from './flags.ts'
import { budgetOf } from './client.ts'
import type { Batch, Ending, Job, RunContext, RunEnd } from './run.ts'
import { say, showProgress, tell } from './terminal.ts'
import { WatchReport, endOf, paceText, timeOfDay } from './watch-report.ts'
import {
  type SearchFlags,
  type SearchOperation,
  type Searches,
  jobOf,
  operationOf,
  searchesOf,
  statesOf,
} from './watch-search.ts'

export interface WatchFlags extends SearchFlags {
  readonly maxPages: string
  readonly once?: boolean
  readonly from?: 'now'
  readonly keep?: string
}

/** A watch: new posts of searches, as they come. */
export class WatchJob implements Job {
  readonly operation: SearchOperation
  readonly command = 'watch'
  readonly jobs: readonly object[]
  readonly needed = []
  readonly keep: number | undefined
  readonly #flags: WatchFlags
  readonly #searches: Searches
  readonly #minInterval: number
  readonly #maxPages: number
  #budget: Budget | undefined
  #report: WatchReport
  /** Of one search, while the others went on; one that may have been charged comes first. */
  #failure: SocialSearchError | undefined
  /** What is known of when each search is due. */
  readonly #due = new Map<string, DueSearch>()
  #isNextSaid = false

  /** @throws {UsageError} */
  constructor(words: readonly string[], flags: WatchFlags) {
    const { out, keep, minInterval, maxPages } = flags
    this.operation = operationOf(flags)
    this.#searches = searchesOf(this.operation, flags, words)
    if (this.#queries.length > 1 && out === undefined)
      throw new UsageError('several queries need --out FILE.db, which tells which query has found a post')
    if (keep !== undefined && out === undefined)
      throw new UsageError('--keep needs --out, the .db file whose old posts are forgotten')
    this.#flags = flags
    this.jobs = Object.values(this.#searches).map((params) => jobOf(this.operation, params))
    this.keep = keep === undefined ? undefined : ageOf('--keep', keep)
    this.#minInterval = millisecondsOf('--min-interval', minInterval)
    this.#maxPages = wholeNumberOf('--max-pages', maxPages)
    this.#report = new WatchReport(this.#queries, {})
  }

  get #queries(): readonly string[] {
    return Object.keys(this.#searches)
  }

  confirm(machine: Machine): Promise<void> {
    const flags = { ...this.#flags, budget: machine.budget }
    return confirmWatch(this.operation, flags, this.#queries.length)
  }

  check(client: SocialSearch): void {
    for (const params of Object.values(this.#searches)) client.quote<OperationId>(this.operation.id, params)
    this.#budget = budgetOf(this.#flags)
  }

  async *batches({ client, machine, signal, earlier }: RunContext): AsyncGenerator<Batch, void, number> {
    const { once, from } = this.#flags
    // The watch spreads it over its period.
    const budget = (this.#budget ??= machine.budgets[0])
    const states = statesOf(this.#searches, earlier)
    this.#report = new WatchReport(this.#queries, states)
    for (const query of this.#queries) this.#noteDue(query, states[query], 0)
    await this.#tellPace()
    const network = this.operation.surface
    const searches = Object.fromEntries(
      Object.entries(this.#searches).map(([query, params]) => [query, { ...params, network }]),
    ) as Readonly<Record<string, SearchToWatch>>
    const options = {
      once,
      from,
      budget,
      minInterval: this.#minInterval,
      maxPages: this.#maxPages,
      states,
      signal,
    }
    for await (const batch of watchSearches(client, searches, options)) {
      const {
        name,
        posts: records,
        known,
        gaps,
        state: progress,
        error,
      } = batch as SearchBatch<string, object>
      this.#report.add(batch)
      if (batch.dueAt !== null) continue
      // The other searches go on, and the next check continues.
      if (error !== null) this.#fail(name, error)
      const job = jobOf(this.operation, this.#searches[name])
      const added = yield { job, progress, records, known, query: name, gaps, hasFailed: error !== null }
      this.#report.addPosts(name, added)
      this.#noteDue(name, batch.state, error === null ? 0 : Date.now() + retryMs(this.#minInterval))
      if (once !== true && !signal.aborted) await this.#sayNext()
    }
  }

  underWay({ request }: Call): { job: object } {
    const { query } = request.params as { readonly query: string }
    return { job: jobOf(this.operation, this.#searches[query]) }
  }

  status(): string {
    return count(this.#report.posts, 'new post')
  }

  async end(ending: Ending): Promise<RunEnd> {
    const { out } = this.#flags
    const { credits } = ending.client
    const terms = {
      out,
      outlook: await this.#outlook(),
      price: this.operation.price.credits,
      maxPages: this.#maxPages,
    }
    return endOf(this.#report, { ...ending, credits, failure: this.#failure }, terms)
  }

  #fail(name: string, error: SocialSearchError): void {
    complain(error, undefined, this.#queries.length > 1 ? name : undefined)
    if (this.#failure === undefined || exitNameOf(error) === 'unknown') this.#failure = error
  }

  /** What the budget has left; undefined without one, or while it does not answer. */
  #outlook(): Promise<BudgetOutlook | undefined> {
    return Promise.resolve(this.#budget?.summary?.()).catch(() => undefined)
  }

  /** Tells how often the budget pays for a check. */
  async #tellPace(): Promise<void> {
    const outlook = await this.#outlook()
    const credits = this.#queries.length * this.operation.price.credits
    const pace = outlook && paceText(outlook, credits, this.#minInterval)
    if (pace !== undefined) tell(`${this.#flags.once ? 'on a schedule: ' : ''}${pace}`)
  }

  #noteDue(query: string, state: WatchState | null | undefined, retryAt: number): void {
    const { spans = [], pace = null, failedAt } = state ?? {}
    const { credits: price } = this.operation.price
    this.#due.set(query, { pace, price, hasMore: hasMore(spans), failedAt, retryAt })
  }

  /** Says when the next check is due, if the watch waits: always on a terminal, once in a log. */
  async #sayNext(): Promise<void> {
    if (this.#isNextSaid && !process.stderr.isTTY) return
    const outlook = await this.#outlook()
    const funds = outlook === undefined || outlook.endsAt === null ? null : (outlook as Funds)
    const now = Date.now()
    const times = dueTimes([...this.#due.values()], funds, now, {
      minInterval: this.#minInterval,
      once: false,
    })
    const soonest = Math.min(...times)
    // Without money for a page, a new period has some.
    const at = soonest === Infinity ? (funds?.endsAt ?? Infinity) : soonest
    if (at <= now || at === Infinity) return
    this.#isNextSaid = true
    const text = `next check at ${timeOfDay(new Date(at).toISOString())}`
    if (process.stderr.isTTY) showProgress(text)
    else say(text)
  }
}
