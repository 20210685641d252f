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

declare global {
  /** Set by each page. */
  var start: (options: ClientOptions) => App
}

const params = { query: 'coffee' }

export const searchOf = (options: ClientOptions) =>
  infiniteSearchOptions(new SocialSearch(options), 'microblog.search', params)
