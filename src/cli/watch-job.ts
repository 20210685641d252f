import { type SearchBatch, type SearchToWatch, watchSearches } from '../extensions/watch/index.ts'
import type { OperationId } from '../api/operations.ts'
import type { SocialSearchError } from '../errors/index.ts'
import type { Call } from '../extend.ts'
import type { Budget, SocialSearch } from '../index.ts'
import { count } from '../lib/count.ts'
import { UsageError, exitNameOf } from './command-errors.ts'
import { complain } from './error-text.ts'
import type { Machine } from './machine.ts'
import { confirmWatch } from './quote.ts'
import { ageOf, millisecondsOf, wholeNumberOf } from './flags.ts'
import { budgetOf } from './client.ts'
import type { Batch, Ending, Job, RunContext, RunEnd } from './run.ts'
import { WatchPlanner } from './watch-plan.ts'
import { WatchReport, endOf } from './watch-report.ts'
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
  #planner: WatchPlanner | undefined

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
    const planner = (this.#planner = new WatchPlanner({
      ...{ states, budget, jobs: this.jobs, out: this.#flags.out, once: once === true },
      ...{ minInterval: this.#minInterval, maxPages: this.#maxPages, price: this.operation.price.credits },
    }))
    await planner.say()
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
      const { dueAt } = batch
      this.#report.add(batch, dueAt === null ? undefined : await planner.idleText(name, dueAt))
      if (dueAt !== null) continue
      // The other searches go on, and the next check continues.
      if (error !== null) this.#fail(name, error)
      const job = jobOf(this.operation, this.#searches[name])
      const added = yield { job, progress, records, known, query: name, gaps, hasFailed: error !== null }
      this.#report.addPosts(name, added)
      planner.note(batch)
      if (once === true || signal.aborted) continue
      await planner.say()
      await planner.sayNext()
    }
    if (this.#report.isIdle) await planner.sayHowOften()
  }

  underWay({ request }: Call): { job: object } {
    const { query } = request.params as { readonly query: string }
    return { job: jobOf(this.operation, this.#searches[query]) }
  }

  status(): string {
    return count(this.#report.posts, 'new post')
  }

  async end(ending: Ending): Promise<RunEnd> {
    const { credits } = ending.client
    await this.#planner?.say(true)
    const terms = {
      outlook: await this.#planner?.outlook(),
      price: this.operation.price.credits,
      maxPages: this.#maxPages,
    }
    return endOf(this.#report, { ...ending, credits, failure: this.#failure }, terms)
  }

  #fail(name: string, error: SocialSearchError): void {
    complain(error, undefined, this.#queries.length > 1 ? name : undefined)
    if (this.#failure === undefined || exitNameOf(error) === 'unknown') this.#failure = error
  }
}
