import * as z from 'zod/mini'
import { defaulted, integer, text } from '../schema/build.ts'
import { object, strictObject } from '../schema/objects.ts'
import { defaultMaxComments } from '../limits.ts'

export const postCommentsParams = strictObject({
  postUrl: text({ min: 1, max: 2048 }),
  maxComments: defaulted(integer({ min: 100, max: 1000 }), defaultMaxComments),
})

export const postComment = object({
  profileUrl: z.string(),
  authorName: z.string(),
  authorHeadline: z.string(),
  text: z.string(),
  timestamp: z.string(),
  permalink: z.string(),
})

export const postCommentsBody = object({
  requestId: z.string(),
  comments: z.array(postComment),
  meta: object({ returnedCount: z.int(), total: z.exactOptional(z.int()), creditsCharged: z.int() }),
})
