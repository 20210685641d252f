import type { MicroblogFilters, MicroblogPost } from '../../api/endpoints/microblog.ts'
import type {
  ProfessionalnetPost,
  ProfessionalnetPostsSearchParams,
} from '../../api/endpoints/professionalnet/posts.ts'
import type { SocialSearchError } from '../../errors/index.ts'
import type { CallCredits } from '../../extend.ts'
import type { InvalidItem, Microblog, PagedOptions, Professionalnet } from '../../index.ts'
import type { WatchPace } from './due.ts'

/** Params of a watch on the microblog network. */
export interface WatchParams {
  /** Keywords, 1 to 200 characters. */
  query: string
  /** Always `Latest`: the other categories do not show new posts. */
  category?: 'Latest' | undefined
  /** Narrows the search; every field is optional. */
  filters?: MicroblogFilters | undefined
}

/** Params of a watch on the professional network: those of its search, except `page` and `count`. */
export interface ProfessionalnetWatchParams extends Omit<
  ProfessionalnetPostsSearchParams,
  'page' | 'count' | 'sort_by'
> {
  /** Always `recent`: the other order does not show new posts. */
  sort_by?: 'recent' | undefined
}

/** One of several searches: its params and its network. */
export type SearchToWatch =
  | (WatchParams & { network?: 'microblog' | undefined })
  | (ProfessionalnetWatchParams & { network: 'professionalnet' })

/** A client, or the resources that the searches need. */
export interface WatchClient {
  readonly microblog?: Microblog
  readonly professionalnet?: Pick<Professionalnet, 'posts'>
}

/** Options of all watches. Options of a search, such as `budget` and `signal`, apply to each page. */
export interface SharedWatchOptions extends Omit<PagedOptions, 'limit'> {
  /** Check each search once, then end; with a budget that resets, only searches whose next check is due. Default false. */
  once?: boolean | undefined
  /** `now`: skip posts that already exist. Default: the first check yields the newest page. */
  from?: 'now' | undefined
  /**
   * Shortest time between two checks of a search, in milliseconds. Default 900,000, 15 minutes.
   */
  minInterval?: number | undefined
  /** Page limit of one check of a search, gaps included. Default 10. */
  maxPages?: number | undefined
  /** How many known posts in a row end a check, 1 to 20. A higher value finds posts that appear late. Default 3. */
  overlap?: number | undefined
}

/** Options of a watch of one search. */
export interface WatchOptions extends SharedWatchOptions {
  /** `state` of the last batch that you saved; null to start. */
  state?: WatchState | null | undefined
}

/** Options of a watch of several searches. */
export interface WatchSearchesOptions extends SharedWatchOptions {
  /** For each name, `state` of the last batch that you saved; null to start. */
  states?: Readonly<Record<string, WatchState | null | undefined>> | undefined
}

/** What a watch knows of a search, as plain JSON. */
export interface WatchState {
  /** The search, so that the state of another one is refused. */
  readonly search: string
  /** What has been read, newest first. There is a gap after each span, except for the last one. */
  readonly spans: readonly WatchSpan[]
  /** How often posts come. Absent until a page was read. */
  readonly pace?: WatchPace
  /** When a check failed that may have been charged, in milliseconds since 1970. Absent after the next page. */
  readonly failedAt?: number
  /** With `maxPages: 1`, whether the next check reads a page of a gap. */
  readonly isGapNext?: boolean
}

/** Posts that were read without a gap. */
export interface WatchSpan {
  /** Ids of posts, newest first: at most 1,000, or 40 times `maxPages` if that is more. Above a gap, the middle is left out. */
  readonly ids: readonly string[]
  /** When each of them was published, in milliseconds since 1970; null if unknown. */
  readonly times?: readonly (number | null)[]
  /** Times of posts that it knows although their ids are left out, in milliseconds since 1970. */
  readonly forgotten?: readonly (readonly [newest: number, oldest: number])[]
  /** Params of the page below; null if older posts are not wanted. */
  readonly next: object | null
  /** Whether `next` lists posts of this span first, since the service has lost where the gap begins. */
  readonly isNextAbove?: boolean
  /** When its newest and its oldest post were published, as the service says it. */
  readonly newest?: string
  readonly oldest?: string
  /**
   * When the service has first and last listed no post at `next`, in milliseconds since 1970, although known posts should follow,
   * and how often it was asked: a quarter of a time if `isNextAbove`. A watch asks again less and less often. After
   * 20 hours and four requests it assumes that nothing is missing.
   */
  readonly silence?: readonly [first: number, last: number, asked?: number]
}

/** A time whose posts have not been read yet. */
export interface WatchGap {
  /** When the gap begins: the time of the newest known post before it; null if unknown. */
  readonly from: string | null
  /** When the gap ends: the time of the oldest known post after it; null if unknown. */
  readonly to: string | null
}

/** The posts of one page. */
export interface WatchBatch<Post = MicroblogPost> {
  /** New posts, newest last. Empty if only the state changed. */
  posts: Post[]
  /**
   * The other posts of the page, as they are now, newest last. Update those that you have stored: their counts may have
   * grown. You don't pay more for them.
   */
  known: Post[]
  /** With `validation: 'lenient'`, the items of the page that failed validation, in the order of the service. */
  invalid?: InvalidItem[]
  /** What the page cost, in credits. */
  credits: CallCredits
  /** Save it together with the posts. */
  state: WatchState
  /** What is missing, newest first. This check or a later one fills it. */
  gaps: WatchGap[]
  /** Whether another check would fill a gap at once. */
  hasGapToFill: boolean
  /** Why the check ended early; null if it did not. The next check continues. */
  error: SocialSearchError | null
  /**
   * With `once`, if it is too early for a check: when the next one is due, in milliseconds since 1970. Otherwise null.
   */
  dueAt: number | null
}

/** The posts of one page of one search. */
export interface SearchBatch<Name = string, Post = MicroblogPost> extends WatchBatch<Post> {
  /** The name of the search. Save the state under it. */
  name: Name
}

type PostOf<Search> = Search extends { network: 'professionalnet' } ? ProfessionalnetPost : MicroblogPost

/** A batch of any search. Its `name` narrows the type of its posts. */
export type BatchOf<Searches> = {
  [Name in keyof Searches & string]: SearchBatch<Name, PostOf<Searches[Name]>>
}[keyof Searches & string]
