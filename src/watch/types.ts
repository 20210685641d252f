import type { MicroblogFilters, MicroblogPost, MicroblogSearchParams } from '../contract/microblog.ts'
import type { PagedOptions } from '../core/options/types.ts'

/** What to watch for. The category is always `Latest`. */
export interface WatchParams {
  /** Keywords, 1 to 200 characters. */
  query: string
  category?: 'Latest' | undefined
  filters?: MicroblogFilters | undefined
}

/** Options of a watch; those of a search apply to each of its pages. */
export interface WatchOptions extends Omit<PagedOptions, 'limit'> {
  /** `state` of the last batch that you processed; null or absent to start. */
  state?: WatchState | null | undefined
  /** Milliseconds between polls while posts come. Default 60,000. */
  every?: number | undefined
  /** Longest wait while none come, in milliseconds: each idle poll doubles the wait. Default 16 times `every`. */
  maxEvery?: number | undefined
  /** Most pages of one poll. Default 10. */
  maxPages?: number | undefined
  /** Known posts in a row after which a poll ends, 1 to 20: finds posts that appear below newer ones. Default 10. */
  overlap?: number | undefined
}

/** How far a watch has come, as plain JSON. */
export interface WatchState {
  /** The search, to refuse the state of another one. */
  readonly search: string
  /** Ids of posts that you have, newest first; 1,000, or more if `maxPages` needs it. */
  readonly ids: readonly string[]
}

/** Posts that one poll did not reach. */
export interface WatchGap {
  /** Where to go on: walk `client.microblog.search(gap.next).pages()` until a page has only posts in `state.ids`. */
  readonly next: MicroblogSearchParams
}

/** New posts. */
export interface WatchBatch {
  /** Posts not seen before, newest last. Only the first batch may be empty. */
  posts: MicroblogPost[]
  /** Store it when you have processed the posts. */
  state: WatchState
  /** Set if `maxPages`, a budget or an error ended the poll too early; otherwise null. */
  gap: WatchGap | null
}
