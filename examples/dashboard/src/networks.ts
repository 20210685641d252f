import type {
  MicroblogPost,
  MicroblogSearchParams,
  ProfessionalnetPost,
  ProfessionalnetPostsSearchParams,
  SocialSearch,
} from 'social-search-sdk'
import { infiniteSearchOptions } from 'social-search-sdk/query'
import { client } from './api.ts'
import { type Metric, type Post, metrics } from './measure.ts'

export type Network = 'microblog' | 'professionalnet'
type SearchId = 'microblog.search' | 'professionalnet.posts.search'

/** What can be searched: its name, the call, the numbers that its posts have, how many a page has, and its credits. */
const searchable = (name: string, id: SearchId, metrics: readonly Metric[], pageSize?: number) => ({
  ...{ name, id, metrics, pageSize },
  price: client.quote(id, { query: 'any' }).perPage ?? 0,
})
export const networks = {
  microblog: searchable('Microblog', 'microblog.search', metrics, 20),
  professionalnet: searchable(
    'Professional network',
    'professionalnet.posts.search',
    metrics.filter((name) => name !== 'views'),
  ),
}

/** The networks of mentions, by name. */
export const networkNames: Record<string, string> = {
  microblog: networks.microblog.name,
  professionalnet: networks.professionalnet.name,
  technews: 'Tech news',
}

/** A search of one network. */
export interface Search {
  network: Network
  query: string
  params: MicroblogSearchParams | ProfessionalnetPostsSearchParams
}

/** The pages of a search, whose posts have the same fields on every network. */
export function pagesOf(
  from: SocialSearch,
  { network, params }: Search,
  options: Parameters<typeof infiniteSearchOptions>[3] = {},
) {
  const search = infiniteSearchOptions<SearchId>(from, networks[network].id, params, options)
  return {
    ...search,
    queryKey: search.queryKey as readonly unknown[],
    async queryFn(context: Parameters<typeof search.queryFn>[0]) {
      const { posts, requestId, next } = await search.queryFn(context)
      const all = (posts as (MicroblogPost | ProfessionalnetPost)[]).map(toPost)
      const dated = all.filter(({ timestamp }) => !Number.isNaN(Date.parse(timestamp)))
      return { posts: dated, undated: all.length - dated.length, requestId, next }
    },
    getNextPageParam: ({ next }: { next: typeof params | null }) => next,
  }
}

function toPost(record: MicroblogPost | ProfessionalnetPost): Post {
  if ('id' in record) return { ...record, record }
  const { numLikes, numShares, numComments } = record.social_details
  const engagements = { favoriteCount: numLikes, retweetCount: numShares, replyCount: numComments }
  const { urn: id, commentary: body, share_url: url, postedAt: timestamp, actor } = record
  return {
    ...{ id, body, url, timestamp, name: actor.actor_name, author: actor.actor_name, record },
    engagements: { ...engagements, quoteCount: 0 },
  }
}
