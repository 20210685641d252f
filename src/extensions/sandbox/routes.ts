import type { Operation } from '../../api/operation.ts'
import { type OperationId, type ParamsOf, operations } from '../../api/operations.ts'
import { describeService } from './description.ts'
import { microblogPosts, technewsPosts } from './microblog-posts.ts'
import type { Settings } from './options.ts'
import context from './context.json' with { type: 'json' }
import { createFeeds, createMentions, getRecord, listRecords } from './organization.ts'
import {
  type Network,
  commentsOf,
  commentsOn,
  networkPosts,
  postsOf,
  reactionsOn,
  searchPosts,
} from './professionalnet/posts.ts'
import { findCompany, madeUpCompanies } from './professionalnet/companies.ts'
import { listMatching } from './professionalnet/industries.ts'
import { searchMicroblog, searchTechnews } from './search.ts'
import { createPostStore } from './post-store.ts'
import type { SandboxLedger } from './types.ts'

/** Prefix of every operation's path. */
export const basePath = '/v1'

/** Makes the body of each operation's success without its request id, or throws a `SandboxError`; `id` is the one in its path. */
type Handlers = { readonly [Id in OperationId]: (input: Exclude<ParamsOf<Id>, string>, id: string) => object }

/** An operation with its path and its handler. */
export interface Route {
  readonly operation: Operation
  /** Path with `{id}` for the id. */
  readonly path: string
  /** The handler of the operation, for input that has passed the check of its request. */
  readonly handle: (input: unknown, id: string) => object
}

/** Makes the routes of one sandbox. Changes made by its requests do not affect other sandboxes. */
export function createRoutes(settings: Settings, ledger: SandboxLedger): Route[] {
  const { seed, posts, own } = settings
  const { listeners } = own
  const feeds = createFeeds(seed, listeners)
  const mentions = createMentions(settings, own.mentions, listeners)
  const microblog = createPostStore(settings, own.microblog, microblogPosts, posts)
  const none = { isAlone: false, items: [] }
  const technews = createPostStore(settings, none, technewsPosts, Math.ceil(posts / 5))
  const store = createPostStore(settings, own.professionalnet, networkPosts, Math.ceil(posts / 4))
  const network: Network = { seed, store }

  const handlers: Handlers = {
    'microblog.search': (input) => searchMicroblog(microblog, seed, input),
    'professionalnet.posts.search': (input) => searchPosts(network, input),
    'professionalnet.company.get': ({ url }) => findCompany([...own.companies, ...madeUpCompanies], url),
    'professionalnet.person.posts': (input) => postsOf(network, input),
    'professionalnet.person.comments': (input) => commentsOf(network, input),
    'professionalnet.posts.comments': (input) => commentsOn(network, input),
    'professionalnet.posts.reactions': (input) => reactionsOn(network, input),
    'professionalnet.industries.list': listMatching,
    'technews.search': (input) => searchTechnews(technews, seed, input),
    'mentions.list': (input) => mentions.list(input),
    'mentions.get': (_, id) => mentions.get(id),
    'mentions.count': (input) => mentions.count(input),
    'mentions.setState': (input, id) => mentions.setState(id, input),
    'listeners.list': (input) => listRecords('listeners', listeners, input),
    'listeners.get': (_, id) => getRecord('listener', listeners, id),
    'feeds.list': (input) => listRecords('feeds', feeds, input),
    'feeds.get': (_, id) => getRecord('feed', feeds, id),
    // The shapes are made up.
    'organization.context': () => context,
    'organization.usage': () => ({ usage: { creditsSpent: ledger.spent, byOperation: ledger.byOperation } }),
    openapi: describeService,
  }
  return operations.map((operation) => ({
    operation,
    path: basePath + operation.path,
    handle: handlers[operation.id] as Route['handle'],
  }))
}
