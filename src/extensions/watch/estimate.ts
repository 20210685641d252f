import type { PagedOptions, Microblog, Professionalnet } from '../../index.ts'
import { CreditBudgetError, ValidationError } from '../../errors/index.ts'
import { parseTime } from '../../lib/time.ts'
import { type AnyPost, type NamedSearch, type Page, searchOf } from './options.ts'
import { type PostCount, memory, pageSize } from './due.ts'
import { timeOf } from './checks.ts'
import { gapsOf } from './spans.ts'
import type { ProfessionalnetWatchParams, WatchParams, WatchState } from './types.ts'

const hour = 3_600_000
const day = 24 * hour

/** Options of an estimate: `state`, and those of a search, such as `budget` and `signal`. */
export interface EstimateOptions extends Omit<PagedOptions, 'limit' | 'maxPages'> {
  /** The state of a watch of this search. After half a day without a gap, the estimate is free. */
  state?: WatchState | null | undefined
}

/** How many posts a search has, and what they cost. */
export interface SearchEstimate {
  /** New posts a day. */
  postsPerDay: number
  /** A lower and an upper bound, which bursts may exceed. Null if the estimate is of this hour only. */
  low: number | null
  high: number | null
  /** What the estimate is based on: the state of a watch, or pages that you paid for. */
  basis: 'history' | 'two pages' | 'one page'
  /** What reading these posts costs. A larger budget finds them sooner. */
  creditsPerDay: number
}

/**
 * Estimates how many new posts a search has each day, and what it costs to read them. You pay for one or two
 * pages, or for none with the `state` of a watch that has read half a day. For a busy search on the professional network, the estimate is of this hour
 * only.
 *
 * @param source `client.microblog` or `client.professionalnet.posts`, also of a transport.
 * @throws {ConfigurationError} for invalid params, or the state of another search.
 * @throws the errors of a search.
 * @example
 * const { postsPerDay, creditsPerDay } = await estimateSearch(client.microblog, { query })
 */
export async function estimateSearch(
  source: Microblog,
  params: WatchParams,
  options?: EstimateOptions,
): Promise<SearchEstimate>
export async function estimateSearch(
  source: Professionalnet['posts'],
  params: ProfessionalnetWatchParams,
  options?: EstimateOptions,
): Promise<SearchEstimate>
export async function estimateSearch(
  source: Microblog | Professionalnet['posts'],
  params: WatchParams | ProfessionalnetWatchParams,
  { state = null, ...options }: EstimateOptions = {},
): Promise<SearchEstimate> {
  const search = searchOf<AnyPost>('', source, params, state)
  const [known, ms] = historyOf(state)
  if (ms >= day / 3) return estimateOf(search, known / ms, 'history')
  const now = Date.now()
  const { rate, span } = await paceOf(search, search.params, now, options)
  if (span >= day) return estimateOf(search, rate, 'one page')
  const before = await paceBefore(search, now - day / 2, options)
  if (before !== null) return estimateOf(search, (rate + before) / 2, 'two pages')
  return { ...estimateOf(search, rate, 'one page'), low: null, high: null }
}

/** Posts that a watch has found, and in how much time: without that before the first check, and that of gaps. */
function historyOf(state: WatchState | null): PostCount {
  const { at = 0, watched: [posts, ms] = [0, 0] } = state?.pace ?? {}
  const missed = gapsOf(state?.spans ?? []).map(({ from, to }) => {
    const end = parseTime(to)
    // The pace forgets gaps as it forgets posts.
    return (end - parseTime(from)) * Math.exp(-Math.max(0, at - end) / memory.slow)
  })
  return [posts, missed.reduce((left, each) => left - each, ms)]
}

/** Posts a millisecond before a time; null if the budget or the service does not allow to ask. */
async function paceBefore(
  search: NamedSearch<AnyPost>,
  time: number,
  options: PagedOptions,
): Promise<number | null> {
  const { filters } = search.params as WatchParams
  if ('sort_by' in search.params || filters?.until !== undefined) return null
  const until = new Date(time).toISOString()
  try {
    const { rate, newest } = await paceOf(
      search,
      { ...search.params, filters: { ...filters, until } },
      time,
      options,
    )
    // The service documents no format of `until`, and may ignore it.
    return newest > time ? null : rate
  } catch (error) {
    if (error instanceof CreditBudgetError || error instanceof ValidationError) return null
    throw error
  }
}

/** Posts a millisecond on the newest page up to a time. */
async function paceOf(search: NamedSearch<AnyPost>, params: object, until: number, options: PagedOptions) {
  const times: number[] = []
  let page: Page<AnyPost> | undefined
  for await (page of search.pages(params, { ...options, maxPages: 1 })) {
    for (const post of page.posts) times.push(parseTime(timeOf(post)))
  }
  const known = times.filter(Number.isFinite)
  const newest = Math.max(...known, -Infinity)
  // Without a next page, no post was published before. The clock of the service may be ahead.
  const isLast = page?.next === null
  const span = Math.max(isLast ? day : 1000, Math.max(until, newest) - Math.min(...known))
  return { rate: (isLast ? known.length : Math.max(0, known.length - 1)) / span, span, newest }
}

function estimateOf(
  { price }: NamedSearch<AnyPost>,
  rate: number,
  basis: SearchEstimate['basis'],
): SearchEstimate {
  const postsPerDay = rate * day
  return {
    postsPerDay,
    low: postsPerDay / 2,
    high: postsPerDay * 2,
    basis,
    creditsPerDay: (postsPerDay * price) / pageSize,
  }
}

/** What a watch does beyond its estimate. Times are in milliseconds. */
export interface Checking {
  /** Credits of a page. */
  readonly price: number
  readonly overlap: number
  readonly freshness: number
}

/** Posts of several searches. */
export type Expected = readonly Pick<SearchEstimate, 'postsPerDay' | 'creditsPerDay'>[]

/**
 * The mean time from a post to the check that finds it, with so many credits a day; Infinity if the posts alone cost as much.
 * Besides new posts, a check pays for half a page and the known posts, and for a page at least.
 */
export function meanDelay(searches: Expected, budget: number, checking: Checking): number {
  const credits = sumOf(searches, ({ creditsPerDay }) => creditsPerDay)
  const checks = Math.min(budget / checking.price, (budget - credits) / besidesPosts(checking))
  // The watch shares checks by the square root of how many posts come.
  const posts = sumOf(searches, ({ postsPerDay }) => postsPerDay)
  const shares = posts && sumOf(searches, ({ postsPerDay }) => Math.sqrt(postsPerDay)) ** 2 / posts
  return checks <= 0
    ? Infinity
    : Math.max(checking.freshness, (day * (shares || searches.length)) / checks) / 2
}

/** Credits a day of a watch without a budget. */
export function creditsWithoutBudget(searches: Expected, checking: Checking): number {
  const checks = day / checking.freshness
  const besides = checks * besidesPosts(checking)
  return sumOf(searches, ({ creditsPerDay }) => Math.max(checks * checking.price, creditsPerDay + besides))
}

function sumOf<Item>(items: readonly Item[], amountOf: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + amountOf(item), 0)
}

function besidesPosts({ price, overlap }: Checking): number {
  return price * (1 / 2 + overlap / pageSize)
}
