import { type OperationId, type ParamsOf } from '../../api/operations.ts'
import { findCompany, listMatching, madeUpCompanies } from './companies.ts'
import context from './context.json' with { type: 'json' }
import { describeService } from './description.ts'
import { microblogPosts, searchMicroblog, searchTechnews, technewsPosts } from './microblog.ts'
import { commentsOf, commentsOn, networkPosts, postsOf, reactionsOn, searchPosts } from './network.ts'
import { createFeeds, createMentions, getRecord, listRecords } from './organization.ts'
import type { OwnContent } from './own-content.ts'
import { type PostStoreSettings, createPostStore } from './post-store.ts'
import type { SandboxLedger } from './types.ts'

/** Makes the body of each operation's success without its request id, or throws a `SandboxError`; `id` is the one in its path. */
type Handlers = { readonly [Id in OperationId]: (input: Exclude<ParamsOf<Id>, string>, id: string) => object }

/** What the answers of a sandbox depend on. */
interface Contents extends PostStoreSettings {
  /** How many microblog posts are made up. */
  readonly posts: number
  readonly own: OwnContent
}

/**
 * Makes the handlers of one sandbox, for input that has passed the check of its request. Changes made by its requests do not
 * affect other sandboxes.
 */
export function createHandlers(settings: Contents, ledger: SandboxLedger): Handlers {
  const { seed, posts, own } = settings
  const { listeners } = own
  const feeds = createFeeds(seed, listeners)
  const mentions = createMentions(settings, own.mentions, listeners)
  const microblog = createPostStore(settings, microblogPosts, posts, own.microblog)
  const technews = createPostStore(settings, technewsPosts, Math.ceil(posts / 5))
  const network = createPostStore(settings, networkPosts, Math.ceil(posts / 4), own.professionalnet)
  return {
    'microblog.search': (input) => searchMicroblog(microblog, input),
    'professionalnet.posts.search': (input) => searchPosts(network, input),
    'professionalnet.company.get': ({ url }) => findCompany([...own.companies, ...madeUpCompanies], url),
    'professionalnet.person.posts': (input) => postsOf(network, input),
    'professionalnet.person.comments': (input) => commentsOf(network, input),
    'professionalnet.posts.comments': (input) => commentsOn(network, input),
    'professionalnet.posts.reactions': (input) => reactionsOn(network, input),
    'professionalnet.industries.list': listMatching,
    'technews.search': (input) => searchTechnews(technews, input),
    'mentions.list': (input) => mentions.list(input),
    'mentions.get': (_, id) => mentions.get(id),
    'mentions.count': mentions.count,
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
}
