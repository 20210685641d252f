import * as z from 'zod/mini'
import { atRate } from '../price.ts'
import type { FoundIssue } from '../issues.ts'
import type { Operation } from '../operation.ts'
import { described, documented, integer, listOf, optionalWith, text } from '../schema/schema.ts'

/** Maximum and default of `count`, the posts on a page. */
export const microblogPageSize = 20

/** `Latest`: presumably newest first. */
export type MicroblogCategory = 'Top' | 'Latest' | 'People' | 'Photos' | 'Videos'

/** Narrows the search. */
export interface MicroblogFilters {
  /** BCP 47 language, at most 32 characters. */
  lang?: string | undefined
  /** Start of the time window, at most 32 characters; the format is not documented, try `2026-11-24`. */
  since?: string | undefined
  /** End of the time window, at most 32 characters. */
  until?: string | undefined
  /** Match this exact phrase, at most 512 characters. */
  exactSentence?: string | undefined
  /** Match any of these words, at most 50 of at most 200 characters. */
  anyOfTheseWords?: readonly string[] | undefined
  /** Exclude posts with any of these words, at most 50 of at most 200 characters. */
  noneOfTheseWords?: readonly string[] | undefined
  /** Hashtags without the leading `#`, at most 30 of at most 200 characters. */
  hashtags?: readonly string[] | undefined
  /** Posts by these accounts, as handles, at most 30 of at most 100 characters. */
  fromTheseAccounts?: readonly string[] | undefined
  /** Posts addressed to these accounts, as handles, at most 30 of at most 100 characters. */
  toTheseAccounts?: readonly string[] | undefined
  /** Posts that mention these accounts, as handles, at most 30 of at most 100 characters. */
  mentionsTheseAccounts?: readonly string[] | undefined
  /** Exclude posts with links. */
  removePostsWithLinks?: boolean | undefined
  /** Only posts with links. */
  onlyPostsWithLinks?: boolean | undefined
  /** Exclude replies. */
  removeReplies?: boolean | undefined
  /** Only replies. */
  onlyReplies?: boolean | undefined
  /** Exclude posts with media. */
  removePostsWithMedia?: boolean | undefined
  /** Only posts with media. */
  onlyPostsWithMedia?: boolean | undefined
  /** Exclude posts with a video. */
  removePostsWithVideo?: boolean | undefined
  /** Only posts with a video. */
  onlyPostsWithVideo?: boolean | undefined
  /** Exclude posts with photos. */
  removePostsWithPhotos?: boolean | undefined
  /** Only posts with photos. */
  onlyPostsWithPhotos?: boolean | undefined
  /** Posts with a link that contains this text, at most 200 characters. */
  linksInclude?: string | undefined
  /** Posts with this many replies or more, at least 0. */
  minimumRepliesCount?: number | undefined
  /** Posts with this many retweets or more, at least 0. */
  minimumRetweetsCount?: number | undefined
  /** Posts with this many likes or more, at least 0. */
  minimumLikesCount?: number | undefined
  /** A place, at most 120 characters; the format is not documented. */
  geocode?: string | undefined
  /** Distance around `geocode` (unit undocumented). */
  radius?: number | undefined
}

/** What to search the microblog network for. */
export interface MicroblogSearchParams {
  /** Keywords, 1 to 200 characters. */
  query: string
  /** `meta.nextCursor` of the previous page, at most 1,024 characters. */
  cursor?: string | undefined
  /** Posts per page, 1 to 20; the service's default is 20. A smaller page costs the same. */
  count?: number | undefined
  /** Which posts to look for; `Latest`: presumably newest first. */
  category?: MicroblogCategory | undefined
  /** Narrows the search. */
  filters?: MicroblogFilters | undefined
}

/** Likes, replies, reposts and views of a post. */
export interface MicroblogEngagements {
  bookmarkCount: number
  favoriteCount: number
  quoteCount: number
  replyCount: number
  retweetCount: number
  viewsCount: number
}

/** A post on the microblog network. */
export interface MicroblogPost {
  /** Stable identifier. */
  id: string
  /** Full text. */
  body: string
  /** Handle, without a leading `@`. */
  author: string
  /** Display name of the author. */
  name: string
  /** Creation time, ISO 8601. */
  timestamp: string
  /** Canonical URL. */
  url: string
  /** Image URLs. */
  images: string[]
  /** Video URL, or null. */
  video: string | null
  engagements: MicroblogEngagements
}

/** Metadata of a page of microblog posts. */
export interface MicroblogSearchMeta {
  /** Posts on this page. */
  returnedCount: number
  /** Whether there are further pages. */
  hasMore: boolean
  /** Pass it as `cursor` to get the next page. */
  nextCursor?: string
}

/** One page of microblog posts, as the service sends it. */
export interface MicroblogSearchBody<Post = MicroblogPost> {
  /** The service's id of this request, for support. */
  requestId: string
  posts: Post[]
  meta: MicroblogSearchMeta
}

const flag = z.optional(z.boolean())
const accounts = z.optional(listOf(text({ max: 100 }), { max: 30 }))
const words = z.optional(listOf(text({ max: 200 }), { max: 50 }))
const hashtag = described(
  text({ max: 200 }).check(({ value, issues }) => {
    const message = 'must be without the leading #'
    if (value.startsWith('#')) issues.push({ code: 'custom', input: value, message })
  }),
  { type: 'string', maxLength: 200 },
)
const minimum = z.optional(integer({ min: 0 }))

export const microblogFilters = z.strictObject({
  lang: z.optional(text({ max: 32 })),
  since: z.optional(text({ max: 32 })),
  until: z.optional(text({ max: 32 })),
  exactSentence: z.optional(text({ max: 512 })),
  anyOfTheseWords: words,
  noneOfTheseWords: words,
  hashtags: z.optional(listOf(hashtag, { max: 30 })),
  fromTheseAccounts: accounts,
  toTheseAccounts: accounts,
  mentionsTheseAccounts: accounts,
  removePostsWithLinks: flag,
  onlyPostsWithLinks: flag,
  removeReplies: flag,
  onlyReplies: flag,
  removePostsWithMedia: flag,
  onlyPostsWithMedia: flag,
  removePostsWithVideo: flag,
  onlyPostsWithVideo: flag,
  removePostsWithPhotos: flag,
  onlyPostsWithPhotos: flag,
  linksInclude: z.optional(text({ max: 200 })),
  minimumRepliesCount: minimum,
  minimumRetweetsCount: minimum,
  minimumLikesCount: minimum,
  geocode: z.optional(text({ max: 120 })),
  radius: z.optional(z.number()),
})

export const microblogCategory = z.literal(['Top', 'Latest', 'People', 'Photos', 'Videos'])

export const microblogSearchParams = z.strictObject({
  query: text({ min: 1, max: 200 }),
  cursor: z.optional(text({ max: 1024 })),
  count: optionalWith(integer({ min: 1, max: microblogPageSize }), { default: microblogPageSize }),
  category: z.optional(microblogCategory),
  filters: z.optional(microblogFilters),
})

export const microblogEngagements = z.object({
  bookmarkCount: z.number(),
  favoriteCount: z.number(),
  quoteCount: z.number(),
  replyCount: z.number(),
  retweetCount: z.number(),
  viewsCount: z.number(),
})

export const microblogPost = z.object({
  id: z.string(),
  body: z.string(),
  author: z.string(),
  name: z.string(),
  timestamp: z.string(),
  url: z.string(),
  images: listOf(z.string()),
  video: z.nullable(z.string()),
  engagements: microblogEngagements,
})

export const microblogSearchMeta = z.object({
  returnedCount: integer({ min: 0 }),
  hasMore: z.boolean(),
  nextCursor: z.exactOptional(z.string()),
})

export const microblogSearchBody = z.object({
  requestId: z.string(),
  posts: listOf(microblogPost),
  meta: microblogSearchMeta,
})

/** Filters that no post passes, or that mean nothing alone. */
function contradictions({ filters = {} }: MicroblogSearchParams): FoundIssue[] {
  const given: Record<string, unknown> = { ...filters }
  const found = Object.keys(given).flatMap((name) => {
    const opposite = name.replace('only', 'remove')
    if (name === 'radius')
      return given['geocode'] !== undefined ? [] : [{ path: name, message: 'needs geocode' }]
    const isBoth = opposite !== name && given[name] === true && given[opposite] === true
    return isBoth ? [{ path: name, message: `leaves nothing with ${opposite}` }] : []
  })
  return found.map(({ path, message }) => ({ path: `filters.${path}`, message, option: 'extraParams' }))
}

/** POST /data/microblog/tweets/search (service description, part 4.2). */
export const microblogSearch = {
  id: 'microblog.search',
  summary: 'find public microblog posts',
  method: 'POST',
  path: '/data/microblog/tweets/search',
  scopes: ['search:read'],
  surface: 'microblog',
  price: { kind: 'perRequest', ...atRate('apiTwitterSearchPerRequest') },
  ...documented<MicroblogSearchParams, MicroblogSearchBody>(microblogSearchParams, microblogSearchBody),
  contradictions,
  errors: [400, 401, 429, 502],
  list: 'posts',
  unique: 'id',
  paging: { kind: 'cursor', param: 'cursor', size: { param: 'count', default: microblogPageSize } },
} as const satisfies Operation
