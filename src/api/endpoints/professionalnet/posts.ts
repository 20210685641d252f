import * as z from 'zod/mini'
import { atRate } from '../../price.ts'
import type { Operation } from '../../operation.ts'
import { documented, integer, listOf, oneOf, optionalWith, text } from '../../schema/schema.ts'
import { paidCall } from './paid-call.ts'

/** What a post on the professional network may contain besides text. */
export type ProfessionalnetContentType =
  'photos' | 'videos' | 'liveVideos' | 'collaborativeArticles' | 'documents'

/** What to search the professional network's posts for. */
export interface ProfessionalnetPostsSearchParams {
  /** Keywords, 1 to 200 characters. */
  query: string
  /** Counted from 1; the service's default is 1. */
  page?: number | undefined
  /** By date or by relevance; the service's default is `recent`. */
  sort_by?: 'recent' | 'relevant' | undefined
  /** @deprecated Ignored by the service, which always returns the full page. */
  count?: number | undefined
  /** Job title of the author, at most 80 characters. */
  author_job_title?: string | undefined
  /** What a post must contain. */
  content_type?: ProfessionalnetContentType | undefined
  /** Comma-separated URNs of the persons who posted, at most 120 characters. */
  from_member?: string | undefined
  /** Comma-separated ids of the organizations that posted, at most 120 characters. */
  from_organization?: string | undefined
  /** Comma-separated ids of the companies where the author works, at most 120 characters. */
  author_company?: string | undefined
  /** Ids from the industries endpoint, at most 5. */
  author_industry?: readonly number[] | undefined
  /** Comma-separated URNs of the persons mentioned, at most 120 characters. */
  mentions_member?: string | undefined
  /** Comma-separated ids of the organizations mentioned, at most 120 characters. */
  mentions_organization?: string | undefined
}

/** Who posted. */
export interface ProfessionalnetActor {
  actor_image: string
  actor_description: string
  actor_name: string
  actor_subDescription: string
  /** Not documented. In the sandbox: the URL of the author's page, such as `https://professionalnet.example/company/acme`. */
  actor_navigationContext: string
}

/** Likes, comments and shares of a post. */
export interface ProfessionalnetSocialDetails {
  numLikes: number
  numComments: number
  numShares: number
  reactionTypeCounts: { type: string; count: number }[]
}

/** An article that a post links to. */
export interface ProfessionalnetArticle {
  title: string
  subtitle: string
  navigationContext: string
  smallImage: string
  description?: string
}

/** A video in a post. */
export interface ProfessionalnetVideo {
  thumbnail: string
  /** Seconds. */
  duration: number
  provider: string
}

/** A document in a post. */
export interface ProfessionalnetDocument {
  title: string
  transcribedDocumentUrl: string
  /** Width and height in pixels. */
  coverPages: { width: number; height: number; imageUrls: string[] }[]
}

/** A poll in a post. */
export interface ProfessionalnetPoll {
  question: string
  visibilityInfo: string
  showPollSummaryInfo: boolean
  pollOptions: { option: string; votes: number }[]
  totalVotes: number
  closed: boolean
  remainingDuration: string
}

/** A post on the professional network. */
export interface ProfessionalnetPost {
  /** Public URL. */
  share_url: string
  actor: ProfessionalnetActor
  commentary: string
  social_details: ProfessionalnetSocialDetails
  /** ISO 8601, if the service could parse it. */
  postedAt: string
  /** URN of the activity. */
  urn: string
  reactionsUrn: string
  commentsUrn: string
  repostsUrn: string
  /** Image URLs. */
  imageComponent?: string[]
  articleComponent?: ProfessionalnetArticle
  professionalnetVideoComponent?: ProfessionalnetVideo
  documentComponent?: ProfessionalnetDocument
  pollComponent?: ProfessionalnetPoll
}

/** One page of posts, as the service sends it. */
export interface ProfessionalnetPostsSearchBody<Post = ProfessionalnetPost> {
  /** The service's id of this request, for support. */
  requestId: string
  posts: Post[]
  meta: {
    /** Posts on this page. */
    returnedCount: number
    /** The page that was asked for. */
    page: number
  }
}

const list = z.optional(text({ max: 120 }))

export const professionalnetContentType = z.literal([
  'photos',
  'videos',
  'liveVideos',
  'collaborativeArticles',
  'documents',
])

export const professionalnetPostsSearchParams = z.strictObject({
  query: text({ min: 1, max: 200 }),
  page: optionalWith(integer({ min: 1 }), { default: 1 }),
  sort_by: optionalWith(oneOf(['recent', 'relevant']), { default: 'recent' }),
  count: optionalWith(integer({ min: 1, max: 20 }), { deprecated: true }),
  author_job_title: z.optional(text({ max: 80 })),
  content_type: z.optional(professionalnetContentType),
  from_member: list,
  from_organization: list,
  author_company: list,
  author_industry: z.optional(listOf(integer(), { max: 5 })),
  mentions_member: list,
  mentions_organization: list,
})

export const professionalnetActor = z.object({
  actor_image: z.string(),
  actor_description: z.string(),
  actor_name: z.string(),
  actor_subDescription: z.string(),
  actor_navigationContext: z.string(),
})

export const professionalnetSocialDetails = z.object({
  numLikes: z.number(),
  numComments: z.number(),
  numShares: z.number(),
  reactionTypeCounts: listOf(z.object({ type: z.string(), count: z.number() })),
})

export const professionalnetArticle = z.object({
  title: z.string(),
  subtitle: z.string(),
  navigationContext: z.string(),
  smallImage: z.string(),
  description: z.exactOptional(z.string()),
})

export const professionalnetVideo = z.object({
  thumbnail: z.string(),
  duration: z.number(),
  provider: z.string(),
})

export const professionalnetDocument = z.object({
  title: z.string(),
  transcribedDocumentUrl: z.string(),
  coverPages: listOf(z.object({ width: z.number(), height: z.number(), imageUrls: listOf(z.string()) })),
})

export const professionalnetPoll = z.object({
  question: z.string(),
  visibilityInfo: z.string(),
  showPollSummaryInfo: z.boolean(),
  pollOptions: listOf(z.object({ option: z.string(), votes: z.number() })),
  totalVotes: z.number(),
  closed: z.boolean(),
  remainingDuration: z.string(),
})

export const professionalnetPost = z.object({
  share_url: z.string(),
  actor: professionalnetActor,
  commentary: z.string(),
  social_details: professionalnetSocialDetails,
  postedAt: z.string(),
  urn: z.string(),
  reactionsUrn: z.string(),
  commentsUrn: z.string(),
  repostsUrn: z.string(),
  imageComponent: z.exactOptional(listOf(z.string())),
  articleComponent: z.exactOptional(professionalnetArticle),
  professionalnetVideoComponent: z.exactOptional(professionalnetVideo),
  documentComponent: z.exactOptional(professionalnetDocument),
  pollComponent: z.exactOptional(professionalnetPoll),
})

export const professionalnetPostsSearchBody = z.object({
  requestId: z.string(),
  posts: listOf(professionalnetPost),
  meta: z.object({ returnedCount: integer({ min: 0 }), page: integer({ min: 1 }) }),
})

/** POST /data/professionalnet/posts/search (service description, part 4.3). */
export const professionalnetPostsSearch = {
  ...paidCall,
  id: 'professionalnet.posts.search',
  summary: 'find public posts on the professional network',
  path: '/data/professionalnet/posts/search',
  price: { kind: 'perRequest', ...atRate('apiLinkedInSearchPerRequest') },
  ...documented<ProfessionalnetPostsSearchParams, ProfessionalnetPostsSearchBody>(
    professionalnetPostsSearchParams,
    professionalnetPostsSearchBody,
  ),
  list: 'posts',
  unique: 'urn',
  paging: { kind: 'untilEmpty', param: 'page' },
} as const satisfies Operation
