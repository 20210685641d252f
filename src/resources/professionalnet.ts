import type { StandardSchemaV1 } from '@standard-schema/spec'
import {
  type PostCommentsBody,
  type PostCommentsParams,
  postComments,
} from '../contract/professionalnet/comments.ts'
import {
  type CompanyGetBody,
  type CompanyGetParams,
  companyGet,
} from '../contract/professionalnet/company.ts'
import {
  type IndustriesListBody,
  type IndustriesListParams,
  type Industry,
  industriesList,
} from '../contract/professionalnet/industries.ts'
import { personComments, personPosts } from '../contract/professionalnet/person.ts'
import {
  type ProfessionalnetPost,
  type ProfessionalnetPostsSearchBody,
  type ProfessionalnetPostsSearchParams,
  professionalnetPostsSearch,
} from '../contract/professionalnet/posts.ts'
import { postReactions } from '../contract/professionalnet/reactions.ts'
import { ApiCall } from '../core/api-call.ts'
import { type PageFields, PagedCall } from '../core/paged-call.ts'
import type { Transport } from '../core/transport.ts'
import type { AnyCallOptions, CallOptions, CeilingOption, PagedOptions, SchemaOption } from '../options.ts'
import { type OpenList, openList } from './open.ts'

type Output<Schema extends StandardSchemaV1> = StandardSchemaV1.InferOutput<Schema>

/** One page of a search for professional-network posts. */
export interface ProfessionalnetPostsPage<Post = ProfessionalnetPost>
  extends ProfessionalnetPostsSearchBody<Post>, PageFields<ProfessionalnetPostsSearchParams> {}

/** One page of industries. */
export interface IndustriesPage<Item = Industry>
  extends IndustriesListBody<Item>, PageFields<IndustriesListParams> {}

/** Calls about posts on the professional network. Scope `search:read`; they count towards the professionalnet surface. */
export interface ProfessionalnetPosts {
  /**
   * Searches posts (`POST /data/professionalnet/posts/search`). Each page that succeeds is charged, and so is the empty
   * one that ends a walk: set `limit` or `maxPages` where you know how far to go. Timeout 90 seconds.
   */
  search<Schema extends StandardSchemaV1>(
    params: ProfessionalnetPostsSearchParams,
    options: PagedOptions & SchemaOption<Schema>,
  ): PagedCall<ProfessionalnetPostsPage<Output<Schema>>, Output<Schema>>
  search(
    params: ProfessionalnetPostsSearchParams,
    options?: PagedOptions,
  ): PagedCall<ProfessionalnetPostsPage, ProfessionalnetPost>
  /**
   * The comments on a post (`POST /data/professionalnet/posts/comments`). Charged for each comment returned;
   * `maxComments`, 100 unless set, is what is set aside. Timeout 90 seconds.
   */
  comments<Schema extends StandardSchemaV1>(
    params: PostCommentsParams,
    options: CallOptions & SchemaOption<Schema>,
  ): ApiCall<PostCommentsBody<Output<Schema>>>
  comments(params: PostCommentsParams, options?: CallOptions): ApiCall<PostCommentsBody>
  /**
   * The reactions on a post (`POST /data/professionalnet/posts/reactions`). Charged for each reaction returned, without a
   * documented bound: `ceiling` says for how many to set credits aside. Neither params nor reactions are documented.
   */
  reactions: OpenList<CeilingOption>
}

/** Calls about the professional network. */
export interface Professionalnet {
  posts: ProfessionalnetPosts
  company: {
    /** A company's profile by the URL of its page (`POST /data/professionalnet/company/get`). A success is charged. Timeout 90 seconds. */
    get<Schema extends StandardSchemaV1>(
      params: CompanyGetParams,
      options: CallOptions & SchemaOption<Schema>,
    ): ApiCall<Output<Schema>>
    get(params: CompanyGetParams, options?: CallOptions): ApiCall<CompanyGetBody>
  }
  /** What a person wrote, a page at a time; a `count` is ignored by the service. Not documented further. */
  person: {
    /** Posts of a profile (`POST /data/professionalnet/person/posts`). Each page that succeeds is charged. */
    posts: OpenList
    /** Comments by a person, by profile URL (`POST /data/professionalnet/person/comments`). Each page that succeeds is charged. */
    comments: OpenList
  }
  industries: {
    /** Industry codes (`GET /data/professionalnet/industries`). Free; a walk fetches two pages at a time. */
    list<Schema extends StandardSchemaV1>(
      params: IndustriesListParams,
      options: PagedOptions & SchemaOption<Schema>,
    ): PagedCall<IndustriesPage<Output<Schema>>, Output<Schema>>
    list(params?: IndustriesListParams, options?: PagedOptions): PagedCall<IndustriesPage, Industry>
  }
}

/** The professional network's methods on a transport. */
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
