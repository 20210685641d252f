import { microblogSearch, microblogPageSize } from '../../api/endpoints/microblog.ts'
import { professionalnetPostsSearch } from '../../api/endpoints/professionalnet/posts.ts'
import {
  assertMethod,
  assertObject,
  assertSignal,
  milliseconds,
  wholeNumber,
} from '../../errors/check-options.ts'
import { ConfigurationError } from '../../errors/index.ts'
import type { PagedOptions } from '../../index.ts'
import { canonicalJson, differenceOf, parsed } from '../../lib/json.ts'
import type { SharedWatchOptions, WatchSpan, WatchState } from './types.ts'

/** A post of either network. */
export interface AnyPost {
  readonly id?: string
  readonly urn?: string
  readonly timestamp?: string
  readonly postedAt?: string
}

/** A page of either network. */
export interface Page<Post> {
  readonly posts: readonly Post[]
  readonly next: object | null
  readonly meta?: { readonly hasMore?: boolean } | null
}

export type Pages<Post> = (
  params: object,
  options: { readonly maxPages: number },
) => AsyncIterable<Page<Post>>

/** What both networks have in common. */
interface AnySource<Post> {
  search(params: object, options: PagedOptions): { pages(): AsyncIterable<Page<Post>>; closing?: AbortSignal }
}

/** One search of a watch. */
export interface NamedSearch<Post extends AnyPost> {
  readonly name: string
  /** Pages of the service. A stored page has no new posts. */
  pages(params: object, options: PagedOptions): AsyncIterable<Page<Post>>
  /** Aborts when the client is closed. */
  closing(): AbortSignal | undefined
  /** Params of the page with the newest posts. */
  readonly params: object
  /** Names the search in its state. */
  readonly key: string
  /** Credits of a page. */
  readonly price: number
  readonly state: WatchState | null
}

/** Checks one search. */
export function searchOf<Post extends AnyPost>(
  name: string,
  source: unknown,
  given: object,
  state: WatchState | null,
): NamedSearch<Post> {
  assertMethod('the client of a watch', source, 'search')
  const isProfessionalnet = 'comments' in (source as object)
  const params = paramsOf(given, isProfessionalnet)
  const key = canonicalJson(params) ?? ''
  if (state !== null) assertState(state, params)
  const { price } = isProfessionalnet ? professionalnetPostsSearch : microblogSearch
  const search = (params: object, options: PagedOptions) =>
    (latest = (source as AnySource<Post>).search(params, { cache: false, ...options }))
  let latest: ReturnType<AnySource<Post>['search']> | undefined
  return {
    ...{ name, params, key, price: price.credits, state },
    pages: (params, options) => search(params, options).pages(),
    // A search that is not read sends nothing.
    closing: () => (latest ?? search(params, {})).closing,
  }
}

/** Options of a watch, with defaults. */
export interface WatchSettings {
  readonly once: boolean
  readonly from: 'now' | undefined
  readonly minInterval: number
  readonly maxPages: number
  readonly overlap: number
  /** Of each page. */
  readonly pages: PagedOptions
}

/** Checks the options of a watch. */
export function settingsOf(options: SharedWatchOptions): WatchSettings {
  const { once = false, from, minInterval = 900_000, maxPages = 10, overlap = 3, ...pages } = options
  assertSignal('signal', pages.signal)
  if ((pages as PagedOptions).limit !== undefined)
    throw new ConfigurationError('a watch has no limit; use maxPages or budget')
  if (typeof once !== 'boolean') throw new ConfigurationError('`once` must be true or false')
  if (from !== undefined && (from as string) !== 'now')
    throw new ConfigurationError(`\`from\` must be 'now', got ${JSON.stringify(from)}`)
  milliseconds('minInterval', minInterval)
  wholeNumber('maxPages', maxPages)
  wholeNumber('overlap', overlap, microblogPageSize)
  return { once, from, minInterval, maxPages, overlap, pages }
}

function paramsOf(params: object, isProfessionalnet: boolean): object {
  assertObject('params', params)
  const given = params as Readonly<Record<string, unknown>>
  for (const name of ['cursor', 'page', 'count'] as const)
    if (given[name] !== undefined)
      throw new ConfigurationError(`a watch reads whole pages from the newest post on; leave out ${name}`)
  const [name, value] = isProfessionalnet ? ['sort_by', 'recent'] : ['category', 'Latest']
  if (given[name] !== undefined && given[name] !== value)
    throw new ConfigurationError(`a watch needs the newest posts first; leave out ${name}`)
  return { ...given, [name]: value }
}

function assertState(state: WatchState, params: object): void {
  assertObject('state', state)
  const { search, spans, pace } = state as { search?: unknown; spans?: unknown; pace?: unknown }
  const isWhole = typeof search === 'string' && Array.isArray(spans) && spans.every(isSpan)
  if (!isWhole || (pace !== undefined && !isPace(pace)))
    throw new ConfigurationError('state must be the state of a batch')
  const difference = differenceOf(Object(parsed(search)) as object, params)
  if (difference !== undefined)
    throw new ConfigurationError(`the state belongs to another search: ${difference}`)
}

function isSpan(value: unknown): value is WatchSpan {
  const { ids, next } = Object(value) as { ids?: unknown; next?: unknown }
  return Array.isArray(ids) && ids.every((id) => typeof id === 'string') && typeof next === 'object'
}

function isPace(value: unknown): boolean {
  const { at, fast, slow } = Object(value) as Record<string, unknown>
  return [at, fast, slow].flat().filter(Number.isFinite).length === 5
}
