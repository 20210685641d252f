import type { MicroblogFilters, MicroblogPost } from '../../api/microblog.ts'
import type {
  ProfessionalnetPost,
  ProfessionalnetPostsSearchParams,
} from '../../api/professionalnet/posts.ts'
import type { SocialSearchError } from '../../errors/index.ts'
import type { Microblog, PagedOptions, Professionalnet } from '../../index.ts'
import type { WatchPace } from './pace.ts'

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

/** A search among several: its params, and its network. */
export type SearchToWatch =
  (WatchParams & { network?: 'microblog' }) | (ProfessionalnetWatchParams & { network: 'professionalnet' })

/** Where the searches are: a client, or those of its resources that the searches need. */
export interface WatchClient {
  readonly microblog?: Microblog
  readonly professionalnet?: Pick<Professionalnet, 'posts'>
}

/** Options that all watches share. The options of a search apply to each page. */
export interface SharedWatchOptions extends Omit<PagedOptions, 'limit'> {
  /** Looks at each search once, then ends; with a budget that has a period, only at those that are due. Default false. */
  once?: boolean | undefined
  /** `now`: the first look at a search yields no posts, only the state. By default, it yields the newest page. */
  from?: 'now' | undefined
  /**
   * Posts that are so old are fresh enough, in milliseconds: no search is looked at more often. Default 900,000, 15 minutes.
   */
  freshness?: number | undefined
  /** The most pages of one look at a search, also to fill gaps. Default 10. */
  maxPages?: number | undefined
  /** Known posts in a row that end a look, 1 to 20. A higher value finds late posts further down. Default 3. */
  overlap?: number | undefined
}

/** Options of a watch of one search. */
export interface WatchOptions extends SharedWatchOptions {
  /** `state` of the last batch that you stored; null or absent to start. */
  state?: WatchState | null | undefined
}

/** Options of a watch of several searches. */
export interface WatchSearchesOptions extends SharedWatchOptions {
  /** For each name, `state` of its last batch that you stored; null or absent to start. */
  states?: Readonly<Record<string, WatchState | null | undefined>> | undefined
}

/** The state of a search, as plain JSON. */
export interface WatchState {
  /** The search, so that the state of another one is refused. */
  readonly search: string
  /** What has been read, newest first. There is a gap after each span, except for the last one. */
  readonly spans: readonly WatchSpan[]
  /** How often posts come. States of earlier versions lack it. */
  readonly pace?: WatchPace
}

/** Posts that were read without a gap. */
export interface WatchSpan {
  /** Ids of posts, newest first: at most 1,000, or 40 times `maxPages` if that is more. Above a gap, the middle is left out. */
  readonly ids: readonly string[]
  /** Params of the next page; null if older posts are not wanted. */
  readonly next: object | null
  /** When its newest and its oldest post were published, as the service says it. */
  readonly newest?: string
  readonly oldest?: string
}

/** Posts that are not read yet: those that were published between two known ones. */
export interface WatchGap {
  /** When the known post below the gap was published; null if unknown. */
  readonly from: string | null
  /** When the known post above the gap was published; null if unknown. */
  readonly to: string | null
}

/** The new posts of one page. */
export interface WatchBatch<Post = MicroblogPost> {
  /** Posts not seen before, newest last. Empty if only the state has changed. */
  posts: Post[]
  /** Store it together with the posts. */
  state: WatchState
  /** What is missing, newest first. The rest of this look fills it, or a later one. */
  gaps: WatchGap[]
}

/** The new posts of one page of one search. */
export interface SearchBatch<Name = string, Post = MicroblogPost> extends WatchBatch<Post> {
  /** The name of the search. Store the state under it. */
  name: Name
  /** Why the look ended early. The other searches go on, and the next look at this one continues. */
  error: SocialSearchError | null
}

type PostOf<Search> = Search extends { network: 'professionalnet' } ? ProfessionalnetPost : MicroblogPost

/** A batch of any of the searches: its `name` tells the type of its posts. */
export type BatchOf<Searches> = {
  [Name in keyof Searches & string]: SearchBatch<Name, PostOf<Searches[Name]>>
}[keyof Searches & string]
