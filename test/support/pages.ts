/** A post as documented; `id` tells it from others. */
export function post(id: string): Record<string, unknown> {
  return {
    id,
    body: `Post ${id}`,
    author: 'ada',
    name: 'Ada',
    timestamp: '2026-11-20T10:00:00.000Z',
    url: `https://microblog.example/ada/${id}`,
    images: [],
    video: null,
    engagements: {
      bookmarkCount: 0,
      favoriteCount: 1,
      quoteCount: 0,
      replyCount: 0,
      retweetCount: 0,
      viewsCount: 9,
    },
  }
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
    actor_image: '',
    actor_description: '',
    actor_name: '',
    actor_subDescription: '',
    actor_navigationContext: '',
  }
  const social_details = { numLikes: 1, numComments: 0, numShares: 0, reactionTypeCounts: [] }
  return {
    share_url: '',
    actor,
    commentary: '',
    social_details,
    postedAt: '',
    urn,
    reactionsUrn: '',
    commentsUrn: '',
    repostsUrn: '',
  }
}

/** A page of posts of the professional network as documented. */
export function networkPosts(page: number, ...urns: string[]): Record<string, unknown> {
  return { requestId: 'r', posts: urns.map(networkPost), meta: { returnedCount: urns.length, page } }
}

/** A page of industries as documented, with one of them. */
export function industries(page: number, pageCount = 5): Record<string, unknown> {
  return {
    requestId: 'r',
    industries: [{ id: page, label: `L${page}`, hierarchy: 'A > B' }],
    meta: { total: pageCount, page, pageCount, pageSize: 25 },
  }
}
