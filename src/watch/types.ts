import type { MicroblogFilters, MicroblogPost, MicroblogSearchParams } from '../api/microblog.ts'
import type { PagedOptions } from '../core/options/types.ts'

/** Params of a watch. The category is always `Latest`. */
export interface WatchParams {
  /** Keywords, 1 to 200 characters. */
  query: string
  /** Always `Latest`: the other categories do not show new posts. */
  category?: 'Latest' | undefined
  /** Narrows the search; every field is optional. */
  filters?: MicroblogFilters | undefined
}

/** Options of a watch. The options of a search apply to each page. */
export interface WatchOptions extends Omit<PagedOptions, 'limit'> {
  /** `state` of the last batch that you processed; null or absent to start. */
  state?: WatchState | null | undefined
  /** Milliseconds between polls while posts come. Default 60,000. */
  every?: number | undefined
  /** Longest wait, in milliseconds. Each poll without new posts doubles the wait up to this. Default 16 times `every`. */
  maxEvery?: number | undefined
  /** Most pages of one poll. Default 10. */
  maxPages?: number | undefined
  /** Known posts in a row that end a poll, 1 to 20. A higher value finds late posts further down. Default 10. */
  overlap?: number | undefined
}

/** The state of a watch, as plain JSON. */
export interface WatchState {
  /** The search, so that the state of another one is refused. */
  readonly search: string
  /** Ids of known posts, newest first: up to 1,000, or 40 for each of `maxPages`. */
  readonly ids: readonly string[]
}

/** Posts that a poll did not reach. */
export interface WatchGap {
  /** Params of the next page: walk `client.microblog.search(gap.next).pages()` until a page has only posts in `state.ids`. */
  readonly next: MicroblogSearchParams
}

/** New posts. */
export interface WatchBatch {
  /** Posts not seen before, newest last. Only the first batch may be empty. */
  posts: MicroblogPost[]
  /** Store it after you have processed the posts. */
  state: WatchState
  /** Set if `maxPages`, a budget or an error ended the poll too early; otherwise null. */
  gap: WatchGap | null
}
