import { microblogPageSize } from '../../api/endpoints/microblog.ts'
import { assertObject, assertSignal, milliseconds, wholeNumber } from '../../errors/check-options.ts'
import { ConfigurationError } from '../../errors/index.ts'
import type { InvalidItem, PagedOptions } from '../../index.ts'
import { differenceOf, parsed } from '../../lib/json.ts'
import type { SharedWatchOptions, WatchSpan, WatchState } from './types.ts'

/** A page of either network. */
export interface Page<Post> {
  readonly posts: readonly Post[]
  readonly invalid?: InvalidItem[] | undefined
  readonly next: object | null
  readonly meta?: { readonly hasMore?: boolean } | null
}

/** What both networks have in common. */
export interface AnySource<Post> {
  search(
    params: object,
    options: PagedOptions,
  ): { pages(): AsyncIterable<Page<Post>>; readonly closing?: AbortSignal }
}

/** Options of a watch, with defaults, and those of each page. */
export type WatchSettings = ReturnType<typeof settingsOf>

/** Checks the options of a watch. */
export function settingsOf(options: SharedWatchOptions) {
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

/** Params of the page with the newest posts. */
export function paramsOf(params: object, isProfessionalnet: boolean): object {
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

export function assertState(state: WatchState, params: object): void {
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
