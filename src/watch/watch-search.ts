import type { MicroblogSearchParams } from '../api/microblog.ts'
import {
  assertMethod,
  assertObject,
  assertSignal,
  milliseconds,
  wholeNumber,
} from '../errors/check-options.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { maxTimerMs, sleep } from '../lib/time.ts'
import type { PagedOptions } from '../core/options/types.ts'
import { ConfigurationError } from '../errors/index.ts'
import type { Microblog } from '../resources/microblog.ts'
import { poll } from './poll.ts'
import type { WatchBatch, WatchOptions, WatchParams, WatchState } from './types.ts'

/** Posts on a page. `overlap` must fit on one page, so that a poll without new posts buys one page. */
const pageSize = 20

/** A state keeps at least this many ids. */
const fewestIds = 1000

/**
 * Polls a search for new posts and yields them in batches, each post at least once. The first poll buys one page and
 * yields its posts. Later polls buy pages until they reach known posts. Each page costs the price of a search.
 *
 * @param microblog `client.microblog`, or `microblog(transport)`.
 * @throws {ConfigurationError} for invalid options, or the state of another search.
 * @throws the errors of a search. A poll that fails after its first page yields the posts of the earlier pages first.
 * @example
 * for await (const { posts, state } of watchSearch(client.microblog, { query }, { state: stored })) {}
 */
export async function* watchSearch(
  microblog: Microblog,
  params: WatchParams,
  options: WatchOptions = {},
): AsyncGenerator<WatchBatch, void, undefined> {
  assertMethod('the first argument of watchSearch()', microblog, 'search')
  const search = searchOf(params)
  const { state = null, every = 60_000, maxPages = 10, overlap = 10, maxEvery, ...pageOptions } = options
  assertSignal('signal', pageOptions.signal)
  if ((pageOptions as PagedOptions).limit !== undefined)
    throw new ConfigurationError('watchSearch() has no limit; use maxPages or budget')
  const longest = longestWait(every, maxEvery)
  wholeNumber('maxPages', maxPages)
  wholeNumber('overlap', overlap, pageSize)
  const name = canonicalJson(search) ?? ''
  if (state !== null) assertState(state, name)
  let ids = state?.ids ?? []
  let isFirst = state === null
  let wait = every
  for (;;) {
    // A stored page has no new posts.
    const options = { cache: false, ...pageOptions, maxPages: isFirst ? 1 : maxPages } as const
    const pages = microblog.search(search, options).pages()
    const { fresh, seen, pages: bought, next, failure } = await poll(pages, new Set(ids), overlap)
    if (fresh.length > 0 || (isFirst && bought > 0)) {
      // After a failure without a next page, the gap begins at the newest posts.
      const rest = next ?? (failure === null ? null : search)
      const most = Math.max(fewestIds, 2 * pageSize * maxPages)
      ids = [...seen, ...ids.filter((id) => !seen.has(id))].slice(0, most)
      const gap = rest === null || isFirst ? null : { next: rest }
      yield { posts: fresh.reverse(), state: { search: name, ids }, gap }
      wait = every
      isFirst = false
    } else wait = Math.min(2 * wait, longest)
    if (failure !== null) throw failure.error
    await sleep(wait, pageOptions.signal)
  }
}

function searchOf(params: WatchParams): MicroblogSearchParams {
  assertObject('params', params)
  const given = params as MicroblogSearchParams
  for (const name of ['cursor', 'count'] as const)
    if (given[name] !== undefined)
      throw new ConfigurationError(
        `watchSearch() reads whole pages from the newest post on; leave out ${name}`,
      )
  if (given.category !== undefined && given.category !== 'Latest')
    throw new ConfigurationError('watchSearch() needs the newest posts first; leave out category')
  return { ...given, category: 'Latest' }
}

function longestWait(every: number, maxEvery: number | undefined): number {
  milliseconds('every', every)
  const longest = milliseconds('maxEvery', maxEvery ?? Math.min(16 * every, maxTimerMs))
  if (longest < every)
    throw new ConfigurationError(`maxEvery must be at least every, ${every}, got ${longest}`)
  return longest
}

function assertState(state: WatchState, name: string): void {
  assertObject('state', state)
  const { search, ids } = state as { search?: unknown; ids?: unknown }
  if (typeof search !== 'string' || !Array.isArray(ids) || !ids.every((id) => typeof id === 'string'))
    throw new ConfigurationError('state must be the state of a batch')
  if (search !== name) throw new ConfigurationError('state is that of another search')
}
