import { descriptionGet } from './endpoints/description.ts'
import { feedsGet, feedsList } from './endpoints/feeds.ts'
import { listenersGet, listenersList } from './endpoints/listeners.ts'
import { mentionsCount, mentionsGet, mentionsList, mentionsSetState } from './endpoints/mentions.ts'
import { type MicroblogSearchParams, microblogSearch } from './endpoints/microblog.ts'
import type { Operation } from './operation.ts'
import { organizationContext, organizationUsage } from './endpoints/organization.ts'
import { type ProfessionalnetCompanyGetParams, companyGet } from './endpoints/professionalnet/company.ts'
import {
  type ProfessionalnetPostsCommentsParams,
  postComments,
} from './endpoints/professionalnet/comments.ts'
import {
  type ProfessionalnetIndustriesListParams,
  industriesList,
} from './endpoints/professionalnet/industries.ts'
import { personComments, personPosts } from './endpoints/professionalnet/person.ts'
import {
  type ProfessionalnetPostsSearchParams,
  professionalnetPostsSearch,
} from './endpoints/professionalnet/posts.ts'
import { postReactions } from './endpoints/professionalnet/reactions.ts'
import { technewsSearch } from './endpoints/technews.ts'

/**
 * Every operation of the service, in the order of its description. Code that needs one operation imports only that one,
 * so that bundles stay small.
 */
export const operations = [
  microblogSearch,
  professionalnetPostsSearch,
  companyGet,
  personPosts,
  personComments,
  postComments,
  postReactions,
  industriesList,
  technewsSearch,
  mentionsList,
  mentionsGet,
  mentionsCount,
  mentionsSetState,
  listenersList,
  listenersGet,
  feedsList,
  feedsGet,
  organizationContext,
  organizationUsage,
  descriptionGet,
] as const satisfies readonly (Operation & { id: OperationId })[]

/**
 * What each operation takes, by its id: params, or the id of a record. Written out, since types that are read from `operations` would
 * bring the whole list into what users' compilers load.
 */
interface ParamsById {
  'microblog.search': MicroblogSearchParams
  'professionalnet.posts.search': ProfessionalnetPostsSearchParams
  'professionalnet.company.get': ProfessionalnetCompanyGetParams
  'professionalnet.person.posts': object
  'professionalnet.person.comments': object
  'professionalnet.posts.comments': ProfessionalnetPostsCommentsParams
  'professionalnet.posts.reactions': object
  'professionalnet.industries.list': ProfessionalnetIndustriesListParams
  'technews.search': object
  'mentions.list': object
  'mentions.get': string
  'mentions.count': object
  'mentions.setState': string
  'listeners.list': object
  'listeners.get': string
  'feeds.list': object
  'feeds.get': string
  'organization.context': object
  'organization.usage': object
  openapi: object
}

/** The id of an operation: `microblog.search`. */
export type OperationId = keyof ParamsById

/** The params of an operation; the id if it takes one. Both if the operation is not known before run time. */
export type ParamsOf<Id extends OperationId> = OperationId extends Id ? object | string : ParamsById[Id]

export function operationOf(id: string): Operation | undefined {
  return operations.find((operation) => operation.id === id)
}
