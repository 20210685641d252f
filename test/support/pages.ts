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
