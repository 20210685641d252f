import type { MicroblogFilters, MicroblogPost } from '../../api/microblog.ts'
import type { ProfessionalnetPostsSearchParams } from '../../api/professionalnet/posts.ts'
import type { PagedOptions } from '../../index.ts'

/** Params of a watch of the microblog network. The category is always `Latest`. */
export interface WatchParams {
  /** Keywords, 1 to 200 characters. */
  query: string
  /** Always `Latest`: the other categories do not show new posts. */
  category?: 'Latest' | undefined
  /** Narrows the search; every field is optional. */
  filters?: MicroblogFilters | undefined
}

/** Params of a watch of the professional network: those of the search, except for `page` and `count`. Sorted by `recent`. */
export interface ProfessionalnetWatchParams extends Omit<
  ProfessionalnetPostsSearchParams,
  'page' | 'count' | 'sort_by'
> {
  /** Always `recent`: the other order does not show new posts. */
  sort_by?: 'recent' | undefined
}

/** Options of a watch. The options of a search apply to each page. */
export interface WatchOptions extends Omit<PagedOptions, 'limit'> {
  /** `state` of the last batch that you stored; null or absent to start. */
  state?: WatchState | null | undefined
  /** Polls once, then ends. Default false. */
  once?: boolean | undefined
  /** `now`: the first poll yields no posts, only the state. By default, it yields the newest page. */
  from?: 'now' | undefined
  /** Milliseconds between polls while posts come. Default 60,000. */
  every?: number | undefined
  /** Longest wait, in milliseconds. Each poll without new posts doubles the wait up to this. Default 16 times `every`. */
  maxEvery?: number | undefined
  /** Most pages of one poll, also to fill gaps. Default 10. */
  maxPages?: number | undefined
  /**
   * Known posts in a row that end a poll, 1 to 20. A higher value finds late posts further down. Default 10, on the
   * professional network 5.
   */
  overlap?: number | undefined
}

/** The state of a watch, as plain JSON. */
export interface WatchState {
  /** The search, so that the state of another one is refused. */
  readonly search: string
  /** What has been read, newest first. There is a gap after each span, except for the last one. */
  readonly spans: readonly WatchSpan[]
}

/** Posts that were read without a gap. */
export interface WatchSpan {
  /** Ids of posts, newest first: at most 1,000, or 40 times `maxPages` if that is more. Above a gap, the middle is left out. */
  readonly ids: readonly string[]
  /** Params of the next page; null if older posts are not wanted. */
  readonly next: object | null
}

/** The new posts of one page. */
export interface WatchBatch<Post = MicroblogPost> {
  /** Posts not seen before, newest last. Empty if only the state has changed. */
  posts: Post[]
  /** Store it together with the posts. */
  state: WatchState
  /** How many gaps the state has. The rest of this poll fills them, or a later one. */
  gaps: number
}
