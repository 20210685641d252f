import type { MicroblogSearchParams } from '../contract/microblog.ts'
import type { Operation } from '../contract/operation.ts'
import { type OperationId, operations } from '../contract/operations.ts'
import type { PostCommentsParams } from '../contract/professionalnet/comments.ts'
import type { CompanyGetParams } from '../contract/professionalnet/company.ts'
import type { IndustriesListParams } from '../contract/professionalnet/industries.ts'
import type { ProfessionalnetPostsSearchParams } from '../contract/professionalnet/posts.ts'
import type { Outcome } from './responses.ts'
import { corpusOf, postsAbout } from './corpus.ts'
import { describeService } from './description.ts'
import type { Settings } from './options.ts'
import { contextOf, usageOf } from './organization/context-usage.ts'
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

/** Prefix of every operation's path. */
export const basePath = '/v1'

/** Handles a request with valid input; `id` is the one in its path. */
type Handle = (input: unknown, id: string) => Outcome

/** An operation with its path and its handler. */
export interface Route {
  readonly operation: Operation
  /** Path with `{id}` for the id. */
  readonly path: string
  readonly handle: Handle
}

/** Makes the routes of one sandbox. Changes made by its requests do not affect other sandboxes. */
export function createRoutes({ seed, posts, ownPosts }: Settings, ledger: SandboxLedger): Route[] {
  const listeners = createListeners(seed)
  const feeds = createFeeds(seed, listeners)
  const mentions = createMentions(seed)

  const handlers: Record<OperationId, Handle> = {
    'microblog.search': (input) =>
      searchMicroblog(
        ownPosts ?? corpusOf(seed, posts),
        ownPosts === null ? `${seed}/${posts}` : ownPosts.map(({ post }) => post.id).join(),
        (query) => (ownPosts !== null || posts === 0 ? [] : postsAbout(query, seed)),
        input as MicroblogSearchParams,
      ),
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
