// Written by `npm run schemas` from src/contract/schemas.

import type { JsonSchema } from '../validate.ts'

export const request: JsonSchema = {
  type: 'object',
  properties: {
    query: { type: 'string', minLength: 1, maxLength: 200 },
    cursor: { type: 'string', maxLength: 1024 },
    count: { type: 'integer', minimum: 1, maximum: 20, default: 20 },
    category: { type: 'string', enum: ['Top', 'Latest', 'People', 'Photos', 'Videos'] },
    filters: {
      type: 'object',
      properties: {
        lang: { type: 'string', maxLength: 32 },
        since: { type: 'string', maxLength: 32 },
        until: { type: 'string', maxLength: 32 },
        exactSentence: { type: 'string', maxLength: 512 },
        anyOfTheseWords: { maxItems: 50, type: 'array', items: { type: 'string', maxLength: 200 } },
        noneOfTheseWords: { maxItems: 50, type: 'array', items: { type: 'string', maxLength: 200 } },
        hashtags: { maxItems: 30, type: 'array', items: { type: 'string', maxLength: 200 } },
        fromTheseAccounts: { maxItems: 30, type: 'array', items: { type: 'string', maxLength: 100 } },
        toTheseAccounts: { maxItems: 30, type: 'array', items: { type: 'string', maxLength: 100 } },
        mentionsTheseAccounts: { maxItems: 30, type: 'array', items: { type: 'string', maxLength: 100 } },
        removePostsWithLinks: { type: 'boolean' },
        onlyPostsWithLinks: { type: 'boolean' },
        removeReplies: { type: 'boolean' },
        onlyReplies: { type: 'boolean' },
        removePostsWithMedia: { type: 'boolean' },
        onlyPostsWithMedia: { type: 'boolean' },
        removePostsWithVideo: { type: 'boolean' },
        onlyPostsWithVideo: { type: 'boolean' },
        removePostsWithPhotos: { type: 'boolean' },
        onlyPostsWithPhotos: { type: 'boolean' },
        linksInclude: { type: 'string', maxLength: 200 },
        minimumRepliesCount: { type: 'integer', minimum: 0 },
        minimumRetweetsCount: { type: 'integer', minimum: 0 },
        minimumLikesCount: { type: 'integer', minimum: 0 },
        geocode: { type: 'string', maxLength: 120 },
        radius: { type: 'number' },
      },
      additionalProperties: false,
    },
  },
  required: ['query'],
  additionalProperties: false,
}

export const response: JsonSchema = {
  type: 'object',
  properties: {
    requestId: { type: 'string' },
    posts: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          body: { type: 'string' },
          author: { type: 'string' },
          name: { type: 'string' },
          timestamp: { type: 'string' },
          url: { type: 'string' },
          images: { type: 'array', items: { type: 'string' } },
          video: { type: ['string', 'null'] },
          engagements: {
            type: 'object',
            properties: {
              bookmarkCount: { type: 'number' },
              favoriteCount: { type: 'number' },
              quoteCount: { type: 'number' },
              replyCount: { type: 'number' },
              retweetCount: { type: 'number' },
              viewsCount: { type: 'number' },
            },
            required: [
              'bookmarkCount',
              'favoriteCount',
              'quoteCount',
              'replyCount',
              'retweetCount',
              'viewsCount',
            ],
          },
        },
        required: ['id', 'body', 'author', 'name', 'timestamp', 'url', 'images', 'video', 'engagements'],
      },
    },
    meta: {
      type: 'object',
      properties: {
        returnedCount: { type: 'integer', minimum: 0 },
        hasMore: { type: 'boolean' },
        nextCursor: { type: 'string' },
      },
      required: ['returnedCount', 'hasMore'],
    },
  },
  required: ['requestId', 'posts', 'meta'],
}
