import type { MicroblogPost } from '../../src/index.ts'

/** A post as documented; `id` tells it from others. */
export function post(id: string): Record<string, unknown> {
  return {
    ...{ id, body: `Post ${id}`, author: 'ada', name: 'Ada', timestamp: '2026-11-20T10:00:00.000Z' },
    ...{ url: `https://microblog.example/ada/${id}`, images: [], video: null },
    engagements: {
      ...{ bookmarkCount: 0, favoriteCount: 1, quoteCount: 0 },
      ...{ replyCount: 0, retweetCount: 0, viewsCount: 9 },
    },
  }
}

/** The same with other counts, and perhaps other fields. */
export function postWith(
  id: string,
  counts: Partial<MicroblogPost['engagements']>,
  more: Partial<MicroblogPost> = {},
): MicroblogPost {
  const whole = post(id) as unknown as MicroblogPost
  return { ...whole, engagements: { ...whole.engagements, ...counts }, ...more }
}

/** A page as documented. */
export function page(ids: readonly string[], nextCursor?: string): Record<string, unknown> {
  const meta = {
    returnedCount: ids.length,
    hasMore: nextCursor !== undefined,
    ...(nextCursor !== undefined && { nextCursor }),
  }
  return { requestId: `req_${ids.join('_') || 'empty'}`, posts: ids.map(post), meta }
}

/** A post of the professional network as documented; `urn` tells it from others. */
function networkPost(urn: string): Record<string, unknown> {
  const actor = {
    ...{ actor_image: '', actor_description: '', actor_name: '' },
    ...{ actor_subDescription: '', actor_navigationContext: '' },
  }
  const social_details = { numLikes: 1, numComments: 0, numShares: 0, reactionTypeCounts: [] }
  return {
    ...{ share_url: '', actor, commentary: '', social_details, postedAt: '' },
    ...{ urn, reactionsUrn: '', commentsUrn: '', repostsUrn: '' },
  }
}

/** So many comments as documented, and what they are said to have cost. */
export function comments(count: number, creditsCharged: unknown): Record<string, unknown> {
  const author = { profileUrl: '', authorName: '', authorHeadline: '' }
  const comment = { ...author, text: 'x', timestamp: '', permalink: '' }
  const meta = { returnedCount: count, creditsCharged }
  return { requestId: 'r', comments: Array.from({ length: count }, () => comment), meta }
}

/** A page of posts of the professional network as documented. */
export function networkPosts(page: number, ...urns: string[]): Record<string, unknown> {
  return { requestId: 'r', posts: urns.map(networkPost), meta: { returnedCount: urns.length, page } }
}

/** When a post with some id was published. */
interface Timed {
  readonly id: string
  /** As the service writes it. */
  readonly time: string
}

/** A page of posts with these times: numbered ones are of the professional network, others end with the cursor of the next. */
export function timedPage(entries: readonly Timed[], { number, next }: { number?: number; next?: string }) {
  if (number === undefined)
    return { ...page([], next), posts: entries.map(({ id, time }) => ({ ...post(id), timestamp: time })) }
  return {
    ...networkPosts(number),
    posts: entries.map(({ id, time }) => ({ ...networkPost(id), postedAt: time })),
  }
}

/** A page of industries as documented, with one of them. */
export function industries(page: number, pageCount = 5): Record<string, unknown> {
  return {
    requestId: 'r',
    industries: [{ id: page, label: `L${page}`, hierarchy: 'A > B' }],
    meta: { total: pageCount, page, pageCount, pageSize: 25 },
  }
}
