import { microblogPageSize } from '../../api/endpoints/microblog.ts'
import { assertObject, assertSignal, milliseconds, wholeNumber } from '../../errors/check-options.ts'
import { ConfigurationError } from '../../errors/index.ts'
import type { PagedOptions } from '../../index.ts'
import { differenceOf, parsed } from '../../lib/json.ts'
import { parseTime } from '../../lib/time.ts'
import type { SharedWatchOptions, WatchSpan, WatchState } from './types.ts'

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

/** The state of a batch, checked. A store may have written null for what is absent. */
export function stateOf(given: WatchState, params: object): WatchState {
  assertObject('state', given)
  const state = withoutNulls(given)
  const spans = [state.spans].flat().map((span) => Object.assign({ next: null }, withoutNulls(span)))
  const { search, pace } = state
  if (typeof search !== 'string' || !spans.every(isSpan) || (pace !== undefined && !isPace(pace)))
    throw new ConfigurationError('state must be the state of a batch')
  const difference = differenceOf(Object(parsed(search)) as object, params)
  if (difference !== undefined)
    throw new ConfigurationError(`the state belongs to another search: ${difference}`)
  return { ...state, spans }
}

function withoutNulls<T>(value: T): T {
  const fields = Object.entries(Object(value) as object).filter(([, each]) => each !== null)
  return Object.fromEntries(fields) as T
}

function isSpan(span: WatchSpan): boolean {
  const { ids, times = [], forgotten = [], next, newest = '', oldest = '', silence = [] } = span
  const { cursor = '', page = 1 } = (next ?? {}) as { cursor?: unknown; page?: unknown }
  return (
    [ids, times, forgotten, silence].every(Array.isArray) &&
    [next, ...forgotten].every((each) => typeof each === 'object') &&
    [...ids, newest, oldest, cursor].every((each) => typeof each === 'string') &&
    [...times.map((time) => time ?? 0), ...forgotten.flat(), ...silence, page].every(Number.isFinite) &&
    // The time alone says what is known without a post.
    (ids.length > 0 || Number.isFinite(parseTime(oldest)))
  )
}

function isPace(value: unknown): boolean {
  const { at, fast, slow } = Object(value) as Record<string, unknown>
  return [at, fast, slow].flat().filter(Number.isFinite).length === 5
}
