import type { MicroblogPost } from '../../api/microblog.ts'
import type { ProfessionalnetPost } from '../../api/professionalnet/posts.ts'
import {
  assertMethod,
  assertObject,
  assertSignal,
  milliseconds,
  wholeNumber,
} from '../../errors/check-options.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import { maxTimerMs, sleep } from '../../lib/time.ts'
import type { PagedOptions, Microblog, Professionalnet } from '../../index.ts'
import { ConfigurationError } from '../../errors/index.ts'
import { type Page, type Pages, poll } from './poll.ts'
import type {
  ProfessionalnetWatchParams,
  WatchBatch,
  WatchOptions,
  WatchParams,
  WatchSpan,
  WatchState,
} from './types.ts'

/** Posts on a page of the microblog network. `overlap` must fit on one page, so that a poll without new posts buys one page. */
const pageSize = 20

/** The least that ids of a span are limited to. */
const fewestIds = 1000

/**
 * Polls a search for new posts and yields those of each page in a batch, each post at least once. The first poll buys one
 * page and yields its posts. Later polls buy pages until they reach known posts. What a budget, `maxPages` or an error
 * leaves out is a gap in the state, which later polls fill. Each page costs the price of a search.
 *
 * @param source `client.microblog` or `client.professionalnet.posts`, also of a transport.
 * @throws {ConfigurationError} for invalid options, or the state of another search.
 * @throws the errors of a search, after it has yielded the pages before.
 * @example
 * const options = { once: true, state: stored, maxPages: 10 } as const
 * for await (const { posts, state } of watchSearch(client.microblog, { query }, options)) {}
 */
export function watchSearch(
  source: Microblog,
  params: WatchParams,
  options?: WatchOptions,
): AsyncGenerator<WatchBatch, void, undefined>
export function watchSearch(
  source: Professionalnet['posts'],
  params: ProfessionalnetWatchParams,
  options?: WatchOptions,
): AsyncGenerator<WatchBatch<ProfessionalnetPost>, void, undefined>
export async function* watchSearch(
  source: Microblog | Professionalnet['posts'],
  params: WatchParams | ProfessionalnetWatchParams,
  options: WatchOptions = {},
): AsyncGenerator<WatchBatch<Post>, void, undefined> {
  assertMethod('the first argument of watchSearch()', source, 'search')
  const isProfessionalnet = 'comments' in source
  const search = searchOf(params, isProfessionalnet)
  const { state = null, once = false, from, every = 60_000, maxEvery, ...others } = options
  // Its pages may be short. If a known post was removed, the rest of the first page must still be enough.
  const { maxPages = 10, overlap = isProfessionalnet ? 5 : 10, ...pageOptions } = others
  assertSignal('signal', pageOptions.signal)
  if ((pageOptions as PagedOptions).limit !== undefined)
    throw new ConfigurationError('watchSearch() has no limit; use maxPages or budget')
  if (typeof once !== 'boolean') throw new ConfigurationError('once must be true or false')
  if (from !== undefined && (from as string) !== 'now')
    throw new ConfigurationError(`from must be now, got ${JSON.stringify(from)}`)
  const longest = longestWait(every, maxEvery)
  wholeNumber('maxPages', maxPages)
  wholeNumber('overlap', overlap, pageSize)
  const name = canonicalJson(search) ?? ''
  if (state !== null) assertState(state, name)
  const mostIds = Math.max(fewestIds, 2 * pageSize * maxPages)
  const pagesOf: Pages<Post> = (page, { maxPages }) =>
    // A stored page has no new posts.
    (source as AnySource).search(page, { cache: false, ...pageOptions, maxPages }).pages()
  let spans = state?.spans
  for (let wait = every; ;) {
    const isFirst = spans === undefined
    let isQuiet = true
    const limits = { search, overlap, mostIds, maxPages: isFirst ? 1 : maxPages }
    for await (const page of poll(pagesOf, spans ?? [], limits)) {
      const before = spans?.map(({ next }) => next)
      // Posts older than the first page are not wanted.
      spans = isFirst ? page.spans.map((span) => ({ ...span, next: null })) : page.spans
      const nexts = spans.map(({ next }) => next)
      const posts = isFirst && from === 'now' ? [] : page.fresh.toReversed()
      if (posts.length === 0 && canonicalJson(nexts) === canonicalJson(before)) continue
      isQuiet = false
      yield { posts, state: { search: name, spans }, gaps: nexts.filter((next) => next !== null).length }
    }
    if (once) return
    wait = isQuiet ? Math.min(2 * wait, longest) : every
    await sleep(wait, pageOptions.signal)
  }
}

type Post = MicroblogPost | ProfessionalnetPost

/** What both networks have in common. */
interface AnySource {
  search(params: object, options: PagedOptions): { pages(): AsyncIterable<Page<Post>> }
}

function searchOf(params: object, isProfessionalnet: boolean): object {
  assertObject('params', params)
  const given = params as Readonly<Record<string, unknown>>
  for (const name of ['cursor', 'page', 'count'] as const)
    if (given[name] !== undefined)
      throw new ConfigurationError(
        `watchSearch() reads whole pages from the newest post on; leave out ${name}`,
      )
  const [name, value] = isProfessionalnet ? ['sort_by', 'recent'] : ['category', 'Latest']
  if (given[name] !== undefined && given[name] !== value)
    throw new ConfigurationError(`watchSearch() needs the newest posts first; leave out ${name}`)
  return { ...given, [name]: value }
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
  const { search, spans } = state as { search?: unknown; spans?: unknown }
  if (typeof search !== 'string' || !Array.isArray(spans) || !spans.every(isSpan))
    throw new ConfigurationError('state must be the state of a batch')
  if (search !== name) throw new ConfigurationError('state is that of another search')
}

function isSpan(value: unknown): value is WatchSpan {
  const { ids, next } = Object(value) as { ids?: unknown; next?: unknown }
  return Array.isArray(ids) && ids.every((id) => typeof id === 'string') && typeof next === 'object'
}
