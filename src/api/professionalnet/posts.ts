import { creditRates } from '../credits.ts'
import { recommendedTimeoutMs } from '../limits.ts'
import type { Operation } from '../operation.ts'
import type { Schema } from '../schema/schema.ts'
import { professionalnetPostsSearchBody, professionalnetPostsSearchParams } from '../schemas/posts.ts'

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
  actor_navigationContext: string
}

/** How often a post was reacted to. */
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
  /** The service's id of this request, for its support. */
  requestId: string
  posts: Post[]
  meta: {
    /** Posts on this page. */
    returnedCount: number
    /** The page that was asked for. */
    page: number
  }
}

const request: Schema<ProfessionalnetPostsSearchParams> = professionalnetPostsSearchParams
const response: Schema<ProfessionalnetPostsSearchBody> = professionalnetPostsSearchBody

/** POST /data/professionalnet/posts/search (service description, part 4.3). */
export const professionalnetPostsSearch = {
  id: 'professionalnet.posts.search',
  summary: 'find public posts on the professional network',
  method: 'POST',
  path: '/data/professionalnet/posts/search',
  scopes: ['search:read'],
  surface: 'professionalnet',
  price: {
    kind: 'perRequest',
    credits: creditRates.apiLinkedInSearchPerRequest,
    rate: 'apiLinkedInSearchPerRequest',
  },
  timeoutMs: recommendedTimeoutMs,
  documented: true,
  errors: [400, 401, 429, 502, 503],
  request,
  response,
  list: 'posts',
  paging: { kind: 'untilEmpty', param: 'page' },
} as const satisfies Operation
