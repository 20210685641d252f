import { descriptionGet } from './description.ts'
import { feedsGet, feedsList } from './feeds.ts'
import { listenersGet, listenersList } from './listeners.ts'
import { mentionsCount, mentionsGet, mentionsList, mentionsSetState } from './mentions.ts'
import { microblogSearch } from './microblog.ts'
import type { Operation } from './operation.ts'
import { organizationContext, organizationUsage } from './organization.ts'
import { companyGet } from './professionalnet/company.ts'
import { postComments } from './professionalnet/comments.ts'
import { industriesList } from './professionalnet/industries.ts'
import { personComments, personPosts } from './professionalnet/person.ts'
import { professionalnetPostsSearch } from './professionalnet/posts.ts'
import { postReactions } from './professionalnet/reactions.ts'
import type { Schema } from './schema/schema.ts'
import { technewsSearch } from './technews.ts'

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
