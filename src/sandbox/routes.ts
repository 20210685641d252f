import type { MicroblogSearchParams } from '../api/microblog.ts'
import type { Operation } from '../api/operation.ts'
import { type OperationId, operations } from '../api/operations.ts'
import type { ProfessionalnetPostsCommentsParams } from '../api/professionalnet/comments.ts'
import type { ProfessionalnetCompanyGetParams } from '../api/professionalnet/company.ts'
import type { ProfessionalnetIndustriesListParams } from '../api/professionalnet/industries.ts'
import type { ProfessionalnetPostsSearchParams } from '../api/professionalnet/posts.ts'
import type { Outcome } from './responses.ts'
import { microblogPosts } from './corpus.ts'
import { describeService } from './description.ts'
import type { Settings } from './options.ts'
import { contextOf, usageOf } from './organization/context-usage.ts'
import { createMentions } from './organization/mentions.ts'
import { createFeeds, createListeners, getRecord, listRecords } from './organization/monitors.ts'
import { commentsOn } from './professionalnet/comments.ts'
import { listMatching } from './professionalnet/industries.ts'
import { findCompany } from './professionalnet/lookup.ts'
import { type Network, type NetworkAt, membersOf, networkPosts } from './professionalnet/network.ts'
import { commentsOf, postsOf } from './professionalnet/person.ts'
import { reactionsOn } from './professionalnet/reactions.ts'
import { searchPosts } from './professionalnet/search.ts'
import { searchMicroblog } from './search.ts'
import { createShelf } from './shelf.ts'
import { searchTechnews, technewsPosts } from './technews.ts'
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
export function createRoutes(settings: Settings, ledger: SandboxLedger): Route[] {
  const { seed, posts, own, now } = settings
  const listeners = own.listeners ?? createListeners(seed)
  const feeds = createFeeds(seed, listeners)
  const mentions = createMentions(settings, own.mentions, listeners)
  const microblog = createShelf(settings, own.microblog, microblogPosts, posts)
  const technews = createShelf(settings, own.technews, technewsPosts, Math.ceil(posts / 5))
  const networkShelf = createShelf(settings, own.professionalnet, networkPosts, Math.ceil(posts / 4))
  // Cursors of sandboxes with other posts do not fit.
  const corpusId = JSON.stringify([
    seed,
    posts,
    [own.microblog, own.technews].map(({ isAlone, items }) => isAlone && items),
  ])
  const found: Network['found'] = new Map()
  const network: NetworkAt = (moment = networkShelf.now()) => {
    const { people, companies } = membersOf(seed)
    const all = [...own.companies, ...companies]
    return { seed, moment, people, companies: all, posts: networkShelf.all(moment), found }
  }

  const handlers: Record<OperationId, Handle> = {
    'microblog.search': (input) => searchMicroblog(microblog, corpusId, input as MicroblogSearchParams),
    'professionalnet.posts.search': (input) =>
      searchPosts(networkShelf, found, input as ProfessionalnetPostsSearchParams),
    'professionalnet.company.get': (input) =>
      findCompany(network(), (input as ProfessionalnetCompanyGetParams).url),
    'professionalnet.person.posts': (input) => postsOf(network, input),
    'professionalnet.person.comments': (input) => commentsOf(network, input),
    'professionalnet.posts.comments': (input) =>
      commentsOn(network(), input as ProfessionalnetPostsCommentsParams),
    'professionalnet.posts.reactions': (input) => reactionsOn(network(), input),
    'professionalnet.industries.list': (input) => listMatching(input as ProfessionalnetIndustriesListParams),
    'technews.search': (input) => searchTechnews(technews, corpusId, input),
    'mentions.list': (input) => mentions.list(input),
    'mentions.get': (_, id) => mentions.get(id),
    'mentions.count': (input) => mentions.count(input),
    'mentions.setState': (input, id) => mentions.setState(id, input),
    'listeners.list': (input) => listRecords('listeners', listeners, input),
    'listeners.get': (_, id) => getRecord('listener', listeners, id),
    'feeds.list': (input) => listRecords('feeds', feeds, input),
    'feeds.get': (_, id) => getRecord('feed', feeds, id),
    'organization.context': contextOf,
    'organization.usage': () => usageOf(ledger, now()),
    openapi: describeService,
  }
  return operations.map((operation) => ({
    operation,
    path: basePath + operation.path,
    handle: handlers[operation.id],
  }))
}
