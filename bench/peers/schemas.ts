import * as z from 'zod/mini'

const count = z.int().check(z.gte(0))
const text = (max: number) => z.optional(z.string().check(z.maxLength(max)))
const texts = (items: number, length: number) =>
  z.optional(z.array(z.string().check(z.maxLength(length))).check(z.maxLength(items)))
const flag = z.optional(z.boolean())

/** The documented params of a microblog search. */
export const searchParams = z.strictObject({
  query: z.string().check(z.minLength(1), z.maxLength(200)),
  cursor: text(1024),
  count: z.optional(z.int().check(z.gte(1), z.lte(20))),
  category: z.optional(z.enum(['Top', 'Latest', 'People', 'Photos', 'Videos'])),
  filters: z.optional(
    z.strictObject({
      lang: text(32),
      since: text(32),
      until: text(32),
      exactSentence: text(512),
      anyOfTheseWords: texts(50, 200),
      noneOfTheseWords: texts(50, 200),
      hashtags: texts(30, 200),
      fromTheseAccounts: texts(30, 100),
      toTheseAccounts: texts(30, 100),
      mentionsTheseAccounts: texts(30, 100),
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
      linksInclude: text(200),
      minimumRepliesCount: z.optional(count),
      minimumRetweetsCount: z.optional(count),
      minimumLikesCount: z.optional(count),
      geocode: text(120),
      radius: z.optional(z.number()),
    }),
  ),
})

/** The documented body of a page of microblog posts. */
export const searchBody = z.object({
  requestId: z.string(),
  posts: z.array(
    z.object({
      id: z.string(),
      body: z.string(),
      author: z.string(),
      name: z.string(),
      timestamp: z.string(),
      url: z.string(),
      images: z.array(z.string()),
      video: z.nullable(z.string()),
      engagements: z.object({
        bookmarkCount: z.number(),
        favoriteCount: z.number(),
        quoteCount: z.number(),
        replyCount: z.number(),
        retweetCount: z.number(),
        viewsCount: z.number(),
      }),
    }),
  ),
  meta: z.object({ returnedCount: count, hasMore: z.boolean(), nextCursor: z.exactOptional(z.string()) }),
})
