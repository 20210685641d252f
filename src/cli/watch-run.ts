import {
  type SearchToWatch,
  type WatchClient,
  type SearchBatch,
  watchSearches,
} from '../extensions/watch/index.ts'
import type { SocialSearchError } from '../errors/index.ts'
import type { SocialSearch } from '../index.ts'
import { exitNameOf } from './command-errors.ts'
import { complain } from './complain.ts'
import type { RecordDatabase } from './database/record-database.ts'
import type { createFormatter } from './formats.ts'
import type { InterruptHandler } from './interrupt-handler.ts'
import { NextCheck } from './next-check.ts'
import { print, say } from './terminal.ts'
import type { WatchOutcome } from './watch-end.ts'
import { WatchReport } from './watch-report.ts'
import { type SearchOperation, type Searches, jobOf, statesOf } from './watch-search.ts'

/** What a run of a watch needs. */
export interface WatchJob {
  readonly operation: SearchOperation
  readonly searches: Searches
  readonly client: SocialSearch
  readonly interrupt: InterruptHandler
  readonly formatter: ReturnType<typeof createFormatter>
  readonly database: RecordDatabase | undefined
  readonly options: Omit<NonNullable<Parameters<typeof watchSearches>[2]>, 'states' | 'signal'>
}

/** Runs a watch until it ends, whatever ends it. */
export class WatchRun {
  readonly #job: WatchJob
  readonly #report: WatchReport
  #failure: SocialSearchError | undefined
  /** Posts that are paid for, and neither stored nor printed. */
  #unwritten: readonly object[] = []
  /** The query whose page is under way. */
  #current: string | undefined

  constructor(job: WatchJob) {
    this.#job = job
    this.#report = new WatchReport(Object.keys(job.searches), this.#states)
  }

  async run(): Promise<WatchOutcome> {
    const {
      client,
      interrupt: { signal },
    } = this.#job
    const ended = await this.#watch().catch((error: unknown) => ({ error }))
    const lines = this.#unwritten.map((post) => `\n${JSON.stringify(post)}`)
    if (lines.length > 0) say(`You have paid for these posts, which could not be written:${lines.join('')}`)
    try {
      this.noteCredits()
    } catch {
      // The file still has the highest cost of the page, and the caller the error that ended the watch.
    }
    return {
      ...{ report: this.#report, credits: client.credits, failure: this.#failure },
      ...{ ended, stopped: signal.aborted ? { reason: signal.reason as unknown } : undefined },
    }
  }

  /** @throws if the file cannot be written, so that the run ends before it buys a page that it could not store. */
  noteCredits(): void {
    const { operation, searches, database, client } = this.#job
    if (this.#current === undefined) return
    database?.noteCredits(jobOf(operation, searches[this.#current]), client.credits)
  }

  get #states(): ReturnType<typeof statesOf> {
    return statesOf(this.#job.searches, this.#job.database?.progress)
  }

  async #watch(): Promise<'closed' | undefined> {
    const { operation, searches, client, options, interrupt, database } = this.#job
    const { surface: network } = operation
    const named = Object.entries(searches).map(([query, params]) => [query, { ...params, network }])
    const all = Object.fromEntries(named) as Readonly<Record<string, SearchToWatch>>
    const observers = database === undefined ? [] : [database.observer]
    const watched = { ...options, states: this.#states, signal: interrupt.signal, observers }
    const { freshness = 0 } = options
    const next = new NextCheck(this.#states, { price: operation.price.credits, freshness })
    const noted = noting(client, (query) => (this.#current = query))
    for await (const batch of watchSearches(noted, all, watched)) {
      this.#report.add(batch)
      if (batch.dueAt !== null) continue
      this.#unwritten = batch.posts
      if (!(await this.#write(batch))) return 'closed'
      this.#unwritten = []
      if (batch.error !== null) this.#fail(batch.name, batch.error)
      interrupt.pageIsWritten()
      next.note(batch)
      if (options.once !== true) await next.say(options.budget)
    }
    return undefined
  }

  /** Whether the output is still open. */
  async #write({ name, posts, known, gaps, state, error }: SearchBatch<string, object>): Promise<boolean> {
    const { operation, searches, database, formatter, client, interrupt } = this.#job
    if (database === undefined) {
      this.#report.addPosts(name, posts.length)
      return print(formatter.page(posts), formatter.isStyled)
    }
    const stored = database.store({
      ...{ job: jobOf(operation, searches[name]), progress: state, records: posts, known, query: name, gaps },
      ...{ hasFailed: error !== null, credits: client.credits, now: interrupt.now },
    })
    this.#report.addPosts(name, stored)
    return true
  }

  /** The other searches go on, and the next check continues. */
  #fail(name: string, error: SocialSearchError): void {
    // The error belongs to this batch alone, so its message may change.
    if (Object.keys(this.#job.searches).length > 1) error.message = `${name}: ${error.message}`
    complain(error)
    if (this.#failure === undefined || exitNameOf(error) === 'unknown') this.#failure = error
  }
}

/** A client that tells, before each page, which query it searches. */
function noting({ microblog, professionalnet }: SocialSearch, note: (query: string) => void): WatchClient {
  const noted = <Source extends { search(params: never, options: never): unknown }>(
    source: Source,
  ): Source => ({
    ...source,
    search: (params: { readonly query: string }, options: never) => {
      note(params.query)
      return source.search(params as never, options)
    },
  })
  return { microblog: noted(microblog), professionalnet: { posts: noted(professionalnet.posts) } }
}
