import type {
  AnyCallOptions,
  CallOptions,
  CeilingOption,
  OpenListOptions,
  PagedOptions,
  SchemaOption,
} from '../core/options/types.ts'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { OpenParams, OpenRecord } from '../api/undocumented.ts'
import {
  type PostCommentsBody,
  type PostCommentsParams,
  postComments,
} from '../api/professionalnet/comments.ts'
import { type CompanyGetBody, type CompanyGetParams, companyGet } from '../api/professionalnet/company.ts'
import {
  type IndustriesListBody,
  type IndustriesListParams,
  type Industry,
  industriesList,
} from '../api/professionalnet/industries.ts'
import { personComments, personPosts } from '../api/professionalnet/person.ts'
import {
  type ProfessionalnetPost,
  type ProfessionalnetPostsSearchBody,
  type ProfessionalnetPostsSearchParams,
  professionalnetPostsSearch,
} from '../api/professionalnet/posts.ts'
import { postReactions } from '../api/professionalnet/reactions.ts'
import { ApiCall } from '../core/pages/api-call.ts'
import { type PageFields, PagedCall } from '../core/pages/paged-call.ts'
import type { Transport } from '../core/call/transport.ts'
import {
  type OpenPage,
  type OpenPageOf,
  type Output,
  type SchemaListOptions,
  openList,
} from './undocumented.ts'

/** One page of a search for professional-network posts. */
export interface ProfessionalnetPostsPage<Post = ProfessionalnetPost>
  extends ProfessionalnetPostsSearchBody<Post>, PageFields<ProfessionalnetPostsSearchParams> {}

/** One page of industries. */
export interface IndustriesPage<Item = Industry>
  extends IndustriesListBody<Item>, PageFields<IndustriesListParams> {}

/** Calls about posts on the professional network. Scope `search:read`; they count towards the professionalnet surface. */
export interface ProfessionalnetPosts {
  /**
   * Searches posts (`POST /data/professionalnet/posts/search`); `schema` checks each and gives it your type. Each page
   * that succeeds is charged, and so is the empty one that ends a walk.
   */
  search<Schema extends StandardSchemaV1>(
    params: ProfessionalnetPostsSearchParams,
    options: PagedOptions & SchemaOption<Schema>,
  ): PagedCall<ProfessionalnetPostsPage<Output<Schema>>, Output<Schema>>
  /**
   * Searches posts (`POST /data/professionalnet/posts/search`). Each page that succeeds is charged, and so is the empty
   * one that ends a walk: set `limit` or `maxPages` to stop earlier. Timeout 90 seconds.
   */
  search(
    params: ProfessionalnetPostsSearchParams,
    options?: PagedOptions,
  ): PagedCall<ProfessionalnetPostsPage, ProfessionalnetPost>

  /**
   * The comments on a post (`POST /data/professionalnet/posts/comments`); `schema` checks each and gives it your type.
   * Charged for each comment returned.
   */
  comments<Schema extends StandardSchemaV1>(
    params: PostCommentsParams,
    options: CallOptions & SchemaOption<Schema>,
  ): ApiCall<PostCommentsBody<Output<Schema>>>
  /**
   * The comments on a post (`POST /data/professionalnet/posts/comments`). Charged for each comment returned; the client
   * reserves credits for `maxComments`, 100 unless set. Timeout 90 seconds.
   */
  comments(params: PostCommentsParams, options?: CallOptions): ApiCall<PostCommentsBody>

  /**
   * The reactions on a post (`POST /data/professionalnet/posts/reactions`); `schema` checks each and gives it your
   * type. Charged for each reaction returned; `ceiling` reserves credits, but the service may return more.
   */
  reactions<Schema extends StandardSchemaV1, Name extends string = 'reactions'>(
    params: OpenParams,
    options: SchemaListOptions<Schema, Name> & CeilingOption,
  ): PagedCall<OpenPageOf<Schema, Name>, Output<Schema>>
  /**
   * The reactions on a post (`POST /data/professionalnet/posts/reactions`). Charged for each reaction returned, without
   * a documented bound. `ceiling` is the number of reactions to reserve credits for; the service may return, and
   * charge, more. Neither params nor reactions are documented.
   */
  reactions(params?: OpenParams, options?: OpenListOptions & CeilingOption): PagedCall<OpenPage, OpenRecord>
}

/** Calls about companies. Scope `search:read`; they count towards the professionalnet surface. */
export interface ProfessionalnetCompany {
  /**
   * A company's profile by the URL of its page (`POST /data/professionalnet/company/get`); `schema` checks the whole body
   * and gives it your type. A success is charged.
   */
  get<Schema extends StandardSchemaV1>(
    params: CompanyGetParams,
    options: CallOptions & SchemaOption<Schema>,
  ): ApiCall<Output<Schema>>
  /** A company's profile by the URL of its page (`POST /data/professionalnet/company/get`). A success is charged. Timeout 90 seconds. */
  get(params: CompanyGetParams, options?: CallOptions): ApiCall<CompanyGetBody>
}

/** Posts and comments of a person, a page at a time. The service ignores `count`. Not documented further. */
export interface ProfessionalnetPerson {
  /**
   * Posts of a profile (`POST /data/professionalnet/person/posts`); `schema` checks each and gives it your type. Each page
   * that succeeds is charged.
   */
  posts<Schema extends StandardSchemaV1, Name extends string = 'posts'>(
    params: OpenParams,
    options: SchemaListOptions<Schema, Name>,
  ): PagedCall<OpenPageOf<Schema, Name>, Output<Schema>>
  /**
   * Posts of a profile (`POST /data/professionalnet/person/posts`). Each page that succeeds is charged. Neither params
   * nor posts are documented; the service ignores `count`.
   */
  posts(params?: OpenParams, options?: OpenListOptions): PagedCall<OpenPage, OpenRecord>

  /**
   * Comments by a person (`POST /data/professionalnet/person/comments`); `schema` checks each and gives it your type. Each
   * page that succeeds is charged.
   */
  comments<Schema extends StandardSchemaV1, Name extends string = 'comments'>(
    params: OpenParams,
    options: SchemaListOptions<Schema, Name>,
  ): PagedCall<OpenPageOf<Schema, Name>, Output<Schema>>
  /**
   * Comments by a person, by profile URL (`POST /data/professionalnet/person/comments`). Each page that succeeds is
   * charged. Neither params nor comments are documented; the service ignores `count`.
   */
  comments(params?: OpenParams, options?: OpenListOptions): PagedCall<OpenPage, OpenRecord>
}

/** Calls about industries. */
export interface ProfessionalnetIndustries {
  /** Industry codes (`GET /data/professionalnet/industries`); `schema` checks each and gives it your type. Free. */
  list<Schema extends StandardSchemaV1>(
    params: IndustriesListParams,
    options: PagedOptions & SchemaOption<Schema>,
  ): PagedCall<IndustriesPage<Output<Schema>>, Output<Schema>>
  /** Industry codes (`GET /data/professionalnet/industries`). Free; a walk fetches two pages at a time. */
  list(params?: IndustriesListParams, options?: PagedOptions): PagedCall<IndustriesPage, Industry>
}

/** Calls about the professional network. */
export interface Professionalnet {
  posts: ProfessionalnetPosts
  company: ProfessionalnetCompany
  person: ProfessionalnetPerson
  industries: ProfessionalnetIndustries
}

/**
 * The professional network's methods on a transport.
 *
 * @example
 * const { company } = await professionalnet(createTransport({ baseUrl, apiKey })).company.get({ url })
 */
export function professionalnet(transport: Transport): Professionalnet {
  return {
    posts: {
      search: (params: ProfessionalnetPostsSearchParams, options?: AnyCallOptions) =>
        new PagedCall<never, never>(transport, professionalnetPostsSearch, params, options),
      comments: (params: PostCommentsParams, options?: AnyCallOptions) =>
        new ApiCall<never>(transport.request(postComments, params, options)),
      reactions: openList(transport, postReactions),
    },
    company: {
      get: (params: CompanyGetParams, options?: AnyCallOptions) =>
        new ApiCall<never>(transport.request(companyGet, params, options)),
    },
    person: { posts: openList(transport, personPosts), comments: openList(transport, personComments) },
    industries: {
      list: (params: IndustriesListParams = {}, options?: AnyCallOptions) =>
        new PagedCall<never, never>(transport, industriesList, params, options),
    },
  }
}
