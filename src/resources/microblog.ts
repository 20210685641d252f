import {
  type MicroblogFilters,
  type MicroblogPost,
  type MicroblogSearchBody,
  type MicroblogSearchParams,
  microblogSearch,
} from '../api/endpoints/microblog.ts'
import type { Transport } from '../core/call/transport.ts'
import type { PagedOptions, SchemaOption } from '../core/options/options.ts'
import type { PageFields, PagedCall } from '../core/pages/paged-call.ts'
import { type MaybeSchema, type Output, paged, wired } from './methods.ts'

export type { MicroblogFilters, MicroblogPost, MicroblogSearchParams }
export type {
  MicroblogCategory,
  MicroblogEngagements,
  MicroblogSearchMeta,
} from '../api/endpoints/microblog.ts'

/** One page of a microblog search. */
export interface MicroblogSearchPage<Post = MicroblogPost>
  extends MicroblogSearchBody<Post>, PageFields<MicroblogSearchParams> {}

/** The microblog network. */
export interface Microblog {
  /**
   * Searches public posts (`POST /data/microblog/tweets/search`). Each page costs 2 credits, an error nothing. Scope
   * `search:read`. `schema` checks each post and gives it your type.
   *
   * Await it for the first page, iterate it for the posts of all pages, or use `pages()` or `toArray({ limit })`.
   *
   * @throws {InvalidRequestError} before sending, if the params are invalid.
   * @throws {CreditBudgetError} before sending, if a budget has too little left.
   * @throws {ApiError} if the service returned an error: `ValidationError`, `AuthenticationError`,
   *   `PermissionDeniedError`, `RateLimitError` or `UpstreamError`.
   * @throws {ConnectionError} if no response arrived; `charged` says whether it cost credits.
   * @throws {TimeoutError} likewise.
   * @throws {InvalidResponseError} if the response cannot be used; it is in `body`.
   */
  search<Schema extends MaybeSchema = undefined, Limit extends number | undefined = number | undefined>(
    params: MicroblogSearchParams,
    options?: PagedOptions<Limit> & SchemaOption<Schema>,
  ): PagedCall<MicroblogSearchPage<Output<Schema, MicroblogPost>>, Output<Schema, MicroblogPost>, Limit>
}

/**
 * The microblog network's methods on a transport.
 *
 * @example
 * const { posts } = await microblog(createTransport({ baseUrl, apiKey })).search({ query })
 */
export function microblog(transport: Transport): Microblog {
  return wired<'microblog', Microblog>({ search: paged(transport, microblogSearch) })
}
