import * as z from 'zod/mini'
import { defaulted, integer, noted, text } from '../schema/build.ts'
import { object, strictObject } from '../schema/objects.ts'

const list = z.optional(text({ max: 120 }))

export const professionalnetContentType = z.enum([
  'photos',
  'videos',
  'liveVideos',
  'collaborativeArticles',
  'documents',
])

export const professionalnetPostsSearchParams = strictObject({
  query: text({ min: 1, max: 200 }),
  page: defaulted(integer({ min: 1 }), 1),
  sort_by: defaulted(z.enum(['recent', 'relevant']), 'recent'),
  count: noted(z.optional(integer({ min: 1, max: 20 })), { deprecated: true }),
  author_job_title: z.optional(text({ max: 80 })),
  content_type: z.optional(professionalnetContentType),
  from_member: list,
  from_organization: list,
  author_company: list,
  author_industry: z.optional(z.array(z.int()).check(z.maxLength(5))),
  mentions_member: list,
  mentions_organization: list,
})

export const professionalnetActor = object({
  actor_image: z.string(),
  actor_description: z.string(),
  actor_name: z.string(),
  actor_subDescription: z.string(),
  actor_navigationContext: z.string(),
})

export const professionalnetSocialDetails = object({
  numLikes: z.number(),
  numComments: z.number(),
  numShares: z.number(),
  reactionTypeCounts: z.array(object({ type: z.string(), count: z.number() })),
})

export const professionalnetArticle = object({
  title: z.string(),
  subtitle: z.string(),
  navigationContext: z.string(),
  smallImage: z.string(),
  description: z.exactOptional(z.string()),
})

export const professionalnetVideo = object({
  thumbnail: z.string(),
  duration: z.number(),
  provider: z.string(),
})

export const professionalnetDocument = object({
  title: z.string(),
  transcribedDocumentUrl: z.string(),
  coverPages: z.array(object({ width: z.number(), height: z.number(), imageUrls: z.array(z.string()) })),
})

export const professionalnetPoll = object({
  question: z.string(),
  visibilityInfo: z.string(),
  showPollSummaryInfo: z.boolean(),
  pollOptions: z.array(object({ option: z.string(), votes: z.number() })),
  totalVotes: z.number(),
  closed: z.boolean(),
  remainingDuration: z.string(),
})

export const professionalnetPost = object({
  share_url: z.string(),
  actor: professionalnetActor,
  commentary: z.string(),
  social_details: professionalnetSocialDetails,
  postedAt: z.string(),
  urn: z.string(),
  reactionsUrn: z.string(),
  commentsUrn: z.string(),
  repostsUrn: z.string(),
  imageComponent: z.exactOptional(z.array(z.string())),
  articleComponent: z.exactOptional(professionalnetArticle),
  professionalnetVideoComponent: z.exactOptional(professionalnetVideo),
  documentComponent: z.exactOptional(professionalnetDocument),
  pollComponent: z.exactOptional(professionalnetPoll),
})

export const professionalnetPostsSearchBody = object({
  requestId: z.string(),
  posts: z.array(professionalnetPost),
  meta: object({ returnedCount: integer({ min: 0 }), page: integer({ min: 1 }) }),
})
