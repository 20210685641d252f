// Written by `npm run validators` from the schemas of microblog.search.

/** Tells whether a body, with all its items, has the documented shape. */
export function accepts(body: any): boolean {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false
  const { requestId, posts, meta } = body
  if (
    typeof requestId !== 'string' ||
    !Array.isArray(posts) ||
    typeof meta !== 'object' ||
    meta === null ||
    Array.isArray(meta)
  )
    return false
  for (let i = 0; i < posts.length; i++) {
    const item = posts[i]
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return false
    const { id, body: body2, author, name, timestamp, url, images, video, engagements } = item
    if (
      typeof id !== 'string' ||
      typeof body2 !== 'string' ||
      typeof author !== 'string' ||
      typeof name !== 'string' ||
      typeof timestamp !== 'string' ||
      typeof url !== 'string' ||
      !Array.isArray(images) ||
      (video !== null && typeof video !== 'string') ||
      typeof engagements !== 'object' ||
      engagements === null ||
      Array.isArray(engagements)
    )
      return false
    for (let i2 = 0; i2 < images.length; i2++) {
      const item2 = images[i2]
      if (typeof item2 !== 'string') return false
    }
    const { bookmarkCount, favoriteCount, quoteCount, replyCount, retweetCount, viewsCount } = engagements
    if (
      !Number.isFinite(bookmarkCount) ||
      !Number.isFinite(favoriteCount) ||
      !Number.isFinite(quoteCount) ||
      !Number.isFinite(replyCount) ||
      !Number.isFinite(retweetCount) ||
      !Number.isFinite(viewsCount)
    )
      return false
  }
  const { returnedCount, hasMore, nextCursor } = meta
  if (
    !Number.isSafeInteger(returnedCount) ||
    returnedCount < 0 ||
    typeof hasMore !== 'boolean' ||
    ('nextCursor' in meta && typeof nextCursor !== 'string')
  )
    return false
  return true
}
