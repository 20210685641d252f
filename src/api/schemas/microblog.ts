import * as z from 'zod/mini'
import { defaulted, integer, text, texts } from '../schema/build.ts'
import { object, strictObject } from '../schema/objects.ts'
import { microblogPageSize } from '../limits.ts'

const flag = z.optional(z.boolean())
const accounts = z.optional(texts({ maxItems: 30, maxLength: 100 }))
const words = z.optional(texts({ maxItems: 50, maxLength: 200 }))
const minimum = z.optional(integer({ min: 0 }))

export const microblogFilters = strictObject({
  lang: z.optional(text({ max: 32 })),
  since: z.optional(text({ max: 32 })),
  until: z.optional(text({ max: 32 })),
  exactSentence: z.optional(text({ max: 512 })),
  anyOfTheseWords: words,
  noneOfTheseWords: words,
  hashtags: z.optional(texts({ maxItems: 30, maxLength: 200 })),
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

export const microblogCategory = z.enum(['Top', 'Latest', 'People', 'Photos', 'Videos'])

export const microblogSearchParams = strictObject({
  query: text({ min: 1, max: 200 }),
  cursor: z.optional(text({ max: 1024 })),
  count: defaulted(integer({ min: 1, max: microblogPageSize }), microblogPageSize),
  category: z.optional(microblogCategory),
  filters: z.optional(microblogFilters),
})

export const microblogEngagements = object({
  bookmarkCount: z.number(),
  favoriteCount: z.number(),
  quoteCount: z.number(),
  replyCount: z.number(),
  retweetCount: z.number(),
  viewsCount: z.number(),
})

export const microblogPost = object({
  id: z.string(),
  body: z.string(),
  author: z.string(),
  name: z.string(),
  timestamp: z.string(),
  url: z.string(),
  images: z.array(z.string()),
  video: z.nullable(z.string()),
  engagements: microblogEngagements,
})

export const microblogSearchMeta = object({
  returnedCount: integer({ min: 0 }),
  hasMore: z.boolean(),
  nextCursor: z.exactOptional(z.string()),
})

export const microblogSearchBody = object({
  requestId: z.string(),
  posts: z.array(microblogPost),
  meta: microblogSearchMeta,
})
