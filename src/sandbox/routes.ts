import type { MicroblogSearchParams } from '../contract/microblog.ts'
import type { Operation } from '../contract/operation.ts'
import { type OperationId, operations } from '../contract/operations.ts'
import type { PostCommentsParams } from '../contract/professionalnet/comments.ts'
import type { CompanyGetParams } from '../contract/professionalnet/company.ts'
import type { IndustriesListParams } from '../contract/professionalnet/industries.ts'
import type { ProfessionalnetPostsSearchParams } from '../contract/professionalnet/posts.ts'
import type { Outcome } from './answers.ts'
import { corpusOf } from './corpus.ts'
import { describeService } from './description.ts'
import type { Settings } from './options.ts'
import { contextOf, usageOf } from './organization/account.ts'
import { createMentions } from './organization/mentions.ts'
import { createFeeds, createListeners, getRecord, listRecords } from './organization/monitors.ts'
import { commentsOn } from './professionalnet/comments.ts'
import { listMatching } from './professionalnet/industries.ts'
import { findCompany } from './professionalnet/lookup.ts'
import { networkOf } from './professionalnet/network.ts'
import { commentsOf, postsOf } from './professionalnet/person.ts'
import { reactionsOn } from './professionalnet/reactions.ts'
import { searchPosts } from './professionalnet/search.ts'
import { searchMicroblog } from './search.ts'
import { searchTechnews } from './technews.ts'
import type { SandboxLedger } from './types.ts'

/** Path that every operation's path comes after. */
export const basePath = '/v1'

/** Carries out a request whose input was found to be of the operation's form; `id` is the one in its path. */
type Handle = (input: unknown, id: string) => Outcome

/** An operation, where it is and what carries it out. */
export interface Route {
  readonly operation: Operation
  /** Path with `{id}` for the id. */
  readonly path: string
  readonly handle: Handle
}

/** Makes the routes of one sandbox. What its requests change, they change for this sandbox alone. */
export function createRoutes({ seed, posts }: Settings, ledger: SandboxLedger): Route[] {
  const listeners = createListeners(seed)
  const feeds = createFeeds(seed, listeners)
  const mentions = createMentions(seed)

  const handlers: Record<OperationId, Handle> = {
    'microblog.search': (input) =>
      searchMicroblog(corpusOf(seed, posts), `${seed}/${posts}`, input as MicroblogSearchParams),
    'professionalnet.posts.search': (input) =>
      searchPosts(networkOf(seed, posts), input as ProfessionalnetPostsSearchParams),
    'professionalnet.company.get': (input) =>
      findCompany(networkOf(seed, posts), (input as CompanyGetParams).url),
    'professionalnet.person.posts': (input) => postsOf(networkOf(seed, posts), input),
    'professionalnet.person.comments': (input) => commentsOf(networkOf(seed, posts), input),
    'professionalnet.posts.comments': (input) =>
      commentsOn(networkOf(seed, posts), input as PostCommentsParams),
    'professionalnet.posts.reactions': (input) => reactionsOn(networkOf(seed, posts), input),
    'professionalnet.industries.list': (input) => listMatching(input as IndustriesListParams),
    'technews.search': (input) => searchTechnews(seed, posts, input),
    'mentions.list': (input) => mentions.list(input),
    'mentions.get': (_, id) => mentions.get(id),
    'mentions.count': (input) => mentions.count(input),
    'mentions.setState': (input, id) => mentions.setState(id, input),
    'listeners.list': (input) => listRecords('listeners', listeners, input),
    'listeners.get': (_, id) => getRecord('listener', listeners, id),
    'feeds.list': (input) => listRecords('feeds', feeds, input),
    'feeds.get': (_, id) => getRecord('feed', feeds, id),
    'organization.context': contextOf,
    'organization.usage': () => usageOf(ledger),
    openapi: describeService,
  }
  return operations.map((operation) => ({
    operation,
    path: basePath + operation.path,
    handle: handlers[operation.id],
  }))
}
