import { descriptionGet } from './endpoints/description.ts'
import { feedsGet, feedsList } from './endpoints/feeds.ts'
import { listenersGet, listenersList } from './endpoints/listeners.ts'
import { mentionsCount, mentionsGet, mentionsList, mentionsSetState } from './endpoints/mentions.ts'
import { microblogSearch } from './endpoints/microblog.ts'
import type { Operation } from './operation.ts'
import { organizationContext, organizationUsage } from './endpoints/organization.ts'
import { companyGet } from './endpoints/professionalnet/company.ts'
import { postComments } from './endpoints/professionalnet/comments.ts'
import { industriesList } from './endpoints/professionalnet/industries.ts'
import { personComments, personPosts } from './endpoints/professionalnet/person.ts'
import { professionalnetPostsSearch } from './endpoints/professionalnet/posts.ts'
import { postReactions } from './endpoints/professionalnet/reactions.ts'
import type { Schema } from './schema/schema.ts'
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
] as const satisfies readonly Operation[]

/** The id of an operation: `microblog.search`. */
export type OperationId = (typeof operations)[number]['id']

type Declared<Id> = Extract<(typeof operations)[number], { id: Id }>

/** The params of an operation; the id if it takes one. Both if the operation is not known before run time. */
export type ParamsOf<Id extends OperationId> = OperationId extends Id
  ? object | string
  : Declared<Id> extends { pathId: object }
    ? string
    : Declared<Id> extends { documented: true; request: Schema<infer Params extends object> }
      ? Params
      : object

export function operationOf(id: string): Operation | undefined {
  return operations.find((operation) => operation.id === id)
}
