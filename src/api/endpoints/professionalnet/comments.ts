import * as z from 'zod/mini'
import { atRate } from '../../price.ts'
import type { Operation } from '../../operation.ts'
import { documented, integer, listOf, optionalWith, text } from '../../schema/schema.ts'
import { paidCall } from './paid-call.ts'

/** Bounds and default of `maxComments`, and so the most credits of a call without it (part 8.3). */
export const maxComments = { least: 100, most: 1000, default: 100 } as const

/** Which post's comments to fetch. */
export interface ProfessionalnetPostsCommentsParams {
  /** URL of a post or of an activity update, 1 to 2,048 characters. */
  postUrl: string
  /** Comments to return at most, 1 credit each: 100 to 1,000; the service's default is 100. */
  maxComments?: number | undefined
}

/** A comment on a post of the professional network. */
export interface ProfessionalnetComment {
  profileUrl: string
  authorName: string
  authorHeadline: string
  text: string
  /** ISO 8601. */
  timestamp: string
  permalink: string
}

/** The comments on a post, as the service sends them. */
export interface ProfessionalnetPostsCommentsBody<Comment = ProfessionalnetComment> {
  /** The service's id of this request, for support. */
  requestId: string
  /** At most `maxComments`. */
  comments: Comment[]
  meta: {
    /** Comments returned. */
    returnedCount: number
    /** Number of comments that the post reports, if known. */
    total?: number
    /** Credits that this call cost. */
    creditsCharged: number
  }
}

export const professionalnetPostsCommentsParams = z.strictObject({
  postUrl: text({ min: 1, max: 2048 }),
  maxComments: optionalWith(integer({ min: maxComments.least, max: maxComments.most }), {
    default: maxComments.default,
  }),
})

export const professionalnetComment = z.object({
  profileUrl: z.string(),
  authorName: z.string(),
  authorHeadline: z.string(),
  text: z.string(),
  timestamp: z.string(),
  permalink: z.string(),
})

export const professionalnetPostsCommentsBody = z.object({
  requestId: z.string(),
  comments: listOf(professionalnetComment),
  meta: z.object({ returnedCount: integer(), total: z.exactOptional(integer()), creditsCharged: integer() }),
})

/** POST /data/professionalnet/posts/comments (service description, part 4.5). */
export const postComments = {
  ...paidCall,
  id: 'professionalnet.posts.comments',
  summary: 'list the comments on a post',
  path: '/data/professionalnet/posts/comments',
  price: {
    kind: 'perItem',
    ...atRate('apiLinkedInPostCommentsPerComment'),
    bound: { param: 'maxComments', ...maxComments },
  },
  ...documented<ProfessionalnetPostsCommentsParams, ProfessionalnetPostsCommentsBody>(
    professionalnetPostsCommentsParams,
    professionalnetPostsCommentsBody,
  ),
  list: 'comments',
} as const satisfies Operation
