import { type ClientOptions, SocialSearch } from 'social-search-sdk'
import { infiniteSearchOptions } from 'social-search-sdk/query'

/** What a test does with a component that shows the pages of a search. */
export interface App {
  mount(): void
  unmount(): void
  next(): Promise<unknown>
  /** Posts on show, or the name of an error. */
  shown(): number | string
}

/** Options of the search: ours, or those of the query library alone. */
export type OptionsOf = 'searchOptions' | 'defaults'

declare global {
  /** Set by each page. */
  var start: (options: ClientOptions, of: OptionsOf) => App
}

const params = { query: 'coffee' }

export function searchOf(options: ClientOptions, of: OptionsOf) {
  const client = new SocialSearch(options)
  const ours = infiniteSearchOptions(client, 'microblog.search', params)
  if (of === 'searchOptions') return ours
  const { queryKey, queryFn, initialPageParam, getNextPageParam } = ours
  return { queryKey, queryFn, initialPageParam, getNextPageParam, retryDelay: 1 }
}
