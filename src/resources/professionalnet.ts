import {
  type ProfessionalnetComment,
  type ProfessionalnetPostsCommentsBody,
  type ProfessionalnetPostsCommentsParams,
  postComments,
} from '../api/endpoints/professionalnet/comments.ts'
import {
  type ProfessionalnetCompany,
  type ProfessionalnetCompanyGetBody,
  type ProfessionalnetCompanyGetParams,
  companyGet,
} from '../api/endpoints/professionalnet/company.ts'
import {
  type IndustriesListBody,
  type ProfessionalnetIndustriesListParams,
  type ProfessionalnetIndustry,
  industriesList,
} from '../api/endpoints/professionalnet/industries.ts'
import { personComments, personPosts } from '../api/endpoints/professionalnet/person.ts'
import {
  type ProfessionalnetActor,
  type ProfessionalnetPost,
  type ProfessionalnetPostsSearchBody,
  type ProfessionalnetPostsSearchParams,
  professionalnetPostsSearch,
} from '../api/endpoints/professionalnet/posts.ts'
import { postReactions } from '../api/endpoints/professionalnet/reactions.ts'
import type { Transport } from '../core/call/transport.ts'
import type {
  CallOptions,
  ExpectedItemsOption,
  OpenListOptions,
  PagedOptions,
  SchemaOption,
} from '../core/options/options.ts'
import type { ApiCall } from '../core/pages/api-call.ts'
import type { PageFields, PagedCall } from '../core/pages/paged-call.ts'
import {
  type MaybeSchema,
  type OpenList,
  type OpenParams,
  type Output,
  type SchemaOrType,
  paged,
  single,
  wired,
} from './methods.ts'

export type {
  ProfessionalnetActor,
  ProfessionalnetComment,
  ProfessionalnetCompany,
  ProfessionalnetCompanyGetBody,
  ProfessionalnetCompanyGetParams,
  ProfessionalnetIndustriesListParams,
  ProfessionalnetIndustry,
  ProfessionalnetPost,
  ProfessionalnetPostsCommentsBody,
  ProfessionalnetPostsCommentsParams,
  ProfessionalnetPostsSearchParams,
}

export type { ProfessionalnetCompanyLocation } from '../api/endpoints/professionalnet/company.ts'
export type {
  ProfessionalnetArticle,
  ProfessionalnetContentType,
  ProfessionalnetDocument,
  ProfessionalnetPoll,
  ProfessionalnetSocialDetails,
  ProfessionalnetVideo,
} from '../api/endpoints/professionalnet/posts.ts'

/** One page of a search for professional-network posts. */
export interface ProfessionalnetPostsPage<Post = ProfessionalnetPost>
  extends ProfessionalnetPostsSearchBody<Post>, PageFields<ProfessionalnetPostsSearchParams> {}

/** One page of industries. */
export interface ProfessionalnetIndustriesPage<Item = ProfessionalnetIndustry>
  extends IndustriesListBody<Item>, PageFields<ProfessionalnetIndustriesListParams> {}

/** Posts on the professional network. Scope `search:read`. */
export interface ProfessionalnetPostMethods {
  /**
   * Searches posts (`POST /data/professionalnet/posts/search`). Each page costs 4 credits, also the empty one after
   * the last: set `limit` or `maxPages` to stop earlier. Timeout 90 seconds. `schema` checks each post and gives it your type.
   */
  search<Schema extends MaybeSchema = undefined, Limit extends number | undefined = number | undefined>(
    params: ProfessionalnetPostsSearchParams,
    options?: PagedOptions<Limit> & SchemaOption<Schema>,
  ): PagedCall<
    ProfessionalnetPostsPage<Output<Schema, ProfessionalnetPost>>,
    Output<Schema, ProfessionalnetPost>,
    Limit
  >

  /**
   * Gets the comments on a post (`POST /data/professionalnet/posts/comments`). Costs 1 credit for each comment returned. The
   * client reserves credits for `maxComments`, at least 100. Timeout 90 seconds. `schema` checks each comment and gives it your
   * type.
   */
  comments<Schema extends MaybeSchema = undefined>(
    params: ProfessionalnetPostsCommentsParams,
    options?: CallOptions & SchemaOption<Schema>,
  ): ApiCall<ProfessionalnetPostsCommentsBody<Output<Schema, ProfessionalnetComment>>>

  /**
   * Lists the reactions on a post (`POST /data/professionalnet/posts/reactions`). Costs 1 credit for each reaction
   * returned, without a documented maximum. The client reserves credits for `expectedItems` reactions; more may come and be charged.
   * Neither params nor reactions are documented; `schema` checks each reaction and gives it your type.
   */
  reactions<
    Schema extends SchemaOrType = undefined,
    Name extends string = 'reactions',
    Limit extends number | undefined = number | undefined,
  >(
    params?: OpenParams,
    options?: OpenListOptions<Name, Limit> & SchemaOption<Schema> & ExpectedItemsOption,
  ): OpenList<Name, Schema, Limit>
}

/** Companies on the professional network. Scope `search:read`. */
export interface ProfessionalnetCompanyMethods {
  /**
   * Gets a company's profile by the URL of its page (`POST /data/professionalnet/company/get`). Costs
   * 4 credits. Timeout 90 seconds. `schema` checks the whole body and gives it your type.
   */
  get<Schema extends MaybeSchema = undefined>(
    params: ProfessionalnetCompanyGetParams,
    options?: CallOptions & SchemaOption<Schema>,
  ): ApiCall<Output<Schema, ProfessionalnetCompanyGetBody>>
}

/** Posts and comments of a person, a page at a time. */
export interface ProfessionalnetPersonMethods {
  /**
   * Lists the posts of a profile (`POST /data/professionalnet/person/posts`). Each page costs 10 credits.
   * Neither params nor posts are documented; the service ignores `count`. `schema` checks each post and gives it your type.
   */
  posts<
    Schema extends SchemaOrType = undefined,
    Name extends string = 'posts',
    Limit extends number | undefined = number | undefined,
  >(
    params?: OpenParams,
    options?: OpenListOptions<Name, Limit> & SchemaOption<Schema>,
  ): OpenList<Name, Schema, Limit>

  /**
   * Lists the comments by a person, by profile URL (`POST /data/professionalnet/person/comments`). Each page costs
   * 10 credits. Neither params nor comments are documented; the service ignores `count`. `schema` checks each comment and
   * gives it your type.
   */
  comments<
    Schema extends SchemaOrType = undefined,
    Name extends string = 'comments',
    Limit extends number | undefined = number | undefined,
  >(
    params?: OpenParams,
    options?: OpenListOptions<Name, Limit> & SchemaOption<Schema>,
  ): OpenList<Name, Schema, Limit>
}

/** Industry codes. */
export interface ProfessionalnetIndustryMethods {
  /**
   * Lists industry codes (`GET /data/professionalnet/industries`). Free. `schema` checks each industry and gives it
   * your type.
   */
  list<Schema extends MaybeSchema = undefined, Limit extends number | undefined = number | undefined>(
    params?: ProfessionalnetIndustriesListParams,
    options?: PagedOptions<Limit> & SchemaOption<Schema>,
  ): PagedCall<
    ProfessionalnetIndustriesPage<Output<Schema, ProfessionalnetIndustry>>,
    Output<Schema, ProfessionalnetIndustry>,
    Limit
  >
}

/** The professional network. */
export interface Professionalnet {
  posts: ProfessionalnetPostMethods
  company: ProfessionalnetCompanyMethods
  person: ProfessionalnetPersonMethods
  industries: ProfessionalnetIndustryMethods
}

/**
 * The professional network's methods on a transport.
 *
 * @example
 * const { company } = await professionalnet(createTransport({ baseUrl, apiKey })).company.get({ url })
 */
export function professionalnet(transport: Transport): Professionalnet {
  return wired<'professionalnet', Professionalnet>({
    posts: {
      search: paged(transport, professionalnetPostsSearch),
      comments: single(transport, postComments),
      reactions: paged(transport, postReactions),
    },
    company: { get: single(transport, companyGet) },
    person: { posts: paged(transport, personPosts), comments: paged(transport, personComments) },
    industries: { list: paged(transport, industriesList) },
  })
}
