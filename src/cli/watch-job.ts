import { readFileSync } from 'node:fs'
import { microblogSearch } from '../api/endpoints/microblog.ts'
import { professionalnetPostsSearch } from '../api/endpoints/professionalnet/posts.ts'
import {
  type SearchBatch,
  type SearchToWatch,
  type WatchState,
  watchSearches,
} from '../extensions/watch/index.ts'
import type { OperationId } from '../api/operations.ts'
import type { Call } from '../extend.ts'
import type { SocialSearch } from '../index.ts'
import { count } from '../lib/count.ts'
import { messageOf } from '../lib/thrown.ts'
import { parseTime } from '../lib/time.ts'
import { sourceOf } from './account.ts'
import type { OpenClient } from './client.ts'
import { UsageError } from './command-errors.ts'
import { complain } from './error-text.ts'
import { type SharedFlags, paramFlags, paramsOf } from './flags.ts'
import { positionalOf } from './command-names.ts'
import type { RecordDatabase, StoredPage } from './database/record-database.ts'
import type { Job, RunEnd } from './run.ts'
import { toTerminal } from './terminal.ts'
import { WatchPlanner } from './watch-plan.ts'
import { WatchReport } from './watch-report.ts'

export interface WatchFlags extends SharedFlags {
  readonly network: string
  readonly minInterval: number
  readonly maxPages: number
  readonly queries?: string
  readonly once?: boolean
  readonly from?: 'now'
  readonly keep?: number
}

/** Params of a search, for each query. */
type Searches = Readonly<Record<string, object>>

const networks = { microblog: microblogSearch, professionalnet: professionalnetPostsSearch } as const

export const watchNetworks = Object.keys(networks)

/** The search of either network. */
type SearchOperation = (typeof networks)[keyof typeof networks]

/** A watch: new posts of searches, as they come. */
export class WatchJob implements Job {
  readonly operation: SearchOperation
  readonly command = 'watch'
  readonly searchKeys: readonly object[]
  readonly maxAge: number | undefined
  readonly #flags: WatchFlags
  readonly #searches: Searches
  #client: SocialSearch | undefined
  readonly #report: WatchReport
  #planner: WatchPlanner | undefined

  /** @throws {UsageError} */
  constructor(words: readonly string[], flags: WatchFlags) {
    const { out, keep } = flags
    this.operation = operationOf(flags)
    this.#searches = searchesOf(this.operation, flags, words)
    if (this.#queries.length > 1 && out === undefined)
      throw new UsageError('several queries need --out FILE.db, which tells which query has found a post')
    if (keep !== undefined && out === undefined)
      throw new UsageError('--keep needs --out, the .db file whose old posts are forgotten')
    this.#flags = flags
    this.searchKeys = Object.values(this.#searches).map((params) => this.#keyOf(params))
    this.maxAge = keep
    this.#report = new WatchReport(this.#queries)
  }

  get #queries(): readonly string[] {
    return Object.keys(this.#searches)
  }

  prepare(client: SocialSearch): string | undefined {
    this.#client = client
    for (const params of Object.values(this.#searches)) client.quote<OperationId>(this.operation.id, params)
    const { once, minInterval } = this.#flags
    if (once === true) return undefined
    const { credits } = this.operation.price
    const idle = Math.ceil(86_400_000 / minInterval) * credits * this.#queries.length
    return `watch costs ${idle.toLocaleString('en')} credits a day without new posts, and ${credits} more for each page of new posts`
  }

  async *pages(
    { client, budget }: OpenClient,
    file: RecordDatabase | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<StoredPage, void, number> {
    const { once, from, minInterval, maxPages } = this.#flags
    const states: Record<string, WatchState | null> = {}
    for (const [query, params] of Object.entries(this.#searches))
      states[query] = ((await file?.progressOf(this.#keyOf(params)))?.progress ?? null) as WatchState | null
    const planner = (this.#planner = new WatchPlanner({
      ...{ states, budget, searchKeys: this.searchKeys, out: this.#flags.out, once: once === true },
      ...{ minInterval, maxPages, price: this.operation.price.credits },
    }))
    await planner.say()
    const network = this.operation.surface
    const searches = Object.fromEntries(
      Object.entries(this.#searches).map(([query, params]) => [query, { ...params, network }]),
    ) as Readonly<Record<string, SearchToWatch>>
    // The watch spreads the budget over its period.
    const options = { once, from, budget, minInterval, maxPages, states, signal }
    for await (const batch of watchSearches(client, searches, options)) {
      const { name, posts: records, known, state: progress, error } = batch as SearchBatch<string, object>
      const { dueAt } = batch
      this.#report.add(batch, dueAt === null ? undefined : await planner.idleText(name, dueAt))
      if (dueAt !== null) continue
      // The other searches go on, and the next check continues.
      if (error !== null) complain(error, undefined, this.#queries.length > 1 ? name : undefined)
      const searchKey = this.#keyOf(this.#searches[name])
      const added = yield { searchKey, progress, records, known, hasFailed: error !== null }
      this.#report.addPosts(name, added)
      planner.note(batch)
      await planner.say()
    }
    if (this.#report.isIdle) await planner.sayHowOften()
  }

  searchKeyOf({ request }: Call): object {
    const query = request.params[queryParam(this.operation)]
    return this.#keyOf(this.#searches[String(query)])
  }

  /** What distinguishes the watch of a query from other searches in a file. */
  #keyOf(params: object | undefined): object {
    return { watch: this.operation.id, params, ...sourceOf(this.#flags.sandbox) }
  }

  status(): string {
    return count(this.#report.posts, 'new post')
  }

  async end(reason: unknown): Promise<RunEnd> {
    const { spent = 0, uncertain = 0 } = this.#client?.credits ?? {}
    await this.#planner?.say(true)
    return this.#report.end(reason, {
      ...{ credits: spent + uncertain, outlook: await this.#planner?.outlook() },
      ...{ price: this.operation.price.credits, maxPages: this.#flags.maxPages },
    })
  }
}

/** @throws {UsageError} for filters of the other network, which would be ignored. */
function operationOf(flags: WatchFlags): SearchOperation {
  const operation = networks[flags.network as keyof typeof networks]
  const other = paramFlags(microblogSearch).find(
    ({ attribute }) => operation !== microblogSearch && attribute in flags,
  )
  if (other === undefined) return operation
  throw new UsageError(`${other.name} is for --network microblog; pass params of others with --params`)
}

/** Params of each search, under its query. */
function searchesOf(operation: SearchOperation, flags: WatchFlags, words: readonly string[]): Searches {
  const queries = [...new Set([...words, ...(flags.queries === undefined ? [] : linesOf(flags.queries))])]
  if (queries.length === 0) throw new UsageError('pass a query, or --queries FILE')
  const list = words.find((word) => /^[^\s\d"]+,[^\s\d"]+$/.test(word))
  if (list !== undefined) toTerminal(`${list} is one query; for several: ${list.replaceAll(',', ' ')}`)
  const { params } = paramsOf(operation, flags, queries[0])
  assertOpen(params)
  return Object.fromEntries(queries.map((query) => [query, { ...params, [queryParam(operation)]: query }]))
}

/**
 * The checks of a day after the end find what came just before it.
 *
 * @throws {UsageError} for a time window that has ended: each check would pay for no new post.
 */
function assertOpen({ filters }: { readonly filters?: unknown }): void {
  const { until } = Object(filters) as { until?: unknown }
  if (Date.now() - parseTime(until) > 86_400_000)
    throw new UsageError(
      `--until ${String(until)} has passed, so no new posts come; to read old ones: search`,
    )
}

/** The param that a search has its query in. */
function queryParam(operation: SearchOperation): string {
  return positionalOf(operation) ?? ''
}

/** The queries of a file, one a line. `# a comment` is none, `#hashtag` is. */
function linesOf(path: string): string[] {
  try {
    const lines = textFrom(readFileSync(path)).split(/[\n-\r\u0085\u2028\u2029]/)
    return lines.map((line) => line.trim()).filter((line) => line !== '' && !/^#(\s|$)/.test(line))
  } catch (error) {
    throw new UsageError(`--queries: ${messageOf(error)}`)
  }
}

/** @throws for bytes that are no text: the service would search for what they look like, and charge. */
function textFrom(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // Said below.
  }
  throw new Error('the file is not UTF-8; save it as UTF-8')
}
