import type { AnyCallOptions, PagedOptions, SchemaOption } from '../core/options/types.ts'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import {
  type MicroblogPost,
  type MicroblogSearchBody,
  type MicroblogSearchParams,
  microblogSearch,
} from '../api/microblog.ts'
import { type PageFields, PagedCall } from '../core/pages/paged-call.ts'
import type { Transport } from '../core/call/transport.ts'
import type { Output } from './undocumented.ts'

/** One page of a microblog search. */
export interface MicroblogSearchPage<Post = MicroblogPost>
  extends MicroblogSearchBody<Post>, PageFields<MicroblogSearchParams> {}

/** Calls about the microblog network. */
export interface Microblog {
  /**
   * Searches public posts (`POST /data/microblog/tweets/search`); `schema` checks each and gives it your type. Each page
   * that succeeds is charged.
   */
  search<Schema extends StandardSchemaV1>(
    params: MicroblogSearchParams,
    options: PagedOptions & SchemaOption<Schema>,
  ): PagedCall<MicroblogSearchPage<Output<Schema>>, Output<Schema>>
  /**
   * Searches public posts (`POST /data/microblog/tweets/search`). Each page that succeeds is charged. Scope
   * `search:read`; counts towards the microblog surface.
   *
   * Await it for the first page, iterate it for the posts of all pages, or use `pages()` and `toArray({ limit })`.
   *
   * @throws {InvalidRequestError} before sending, if params are outside the documented bounds.
   * @throws {CreditBudgetError} before sending, if a budget has too little left.
   * @throws {ValidationError
   *
   * AuthenticationError
   *
   * PermissionDeniedError
   *
   * RateLimitError
   *
   * UpstreamError} if the service returned an error.
   * @throws {ConnectionError
   *
   * TimeoutError
   *
   * InvalidResponseError} if no usable response arrived; `charged` tells whether it cost credits.
   */
  search(params: MicroblogSearchParams, options?: PagedOptions): PagedCall<MicroblogSearchPage, MicroblogPost>
}

/**
 * The microblog network's methods on a transport.
 *
 * @example
 * const { posts } = await microblog(createTransport({ baseUrl, apiKey })).search({ query })
 */
export function microblog(transport: Transport): Microblog {
  return {
    search: (params: MicroblogSearchParams, options?: AnyCallOptions) =>
      new PagedCall<never, never>(transport, microblogSearch, params, options),
  }
}
