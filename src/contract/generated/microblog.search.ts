// Written by `npm run validators` from the schemas of microblog.search.

import { isText } from '../schema.ts'

/** Tells whether params have the documented shape. */
export function acceptsRequest(params: any): boolean {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return false
  const { query, cursor, count, category, filters } = params
  if (
    !isText(query, 1, 200) ||
    (cursor !== undefined && !isText(cursor, 0, 1024)) ||
    (count !== undefined && (!Number.isSafeInteger(count) || count < 1 || count > 20)) ||
    (category !== undefined &&
      category !== 'Top' &&
      category !== 'Latest' &&
      category !== 'People' &&
      category !== 'Photos' &&
      category !== 'Videos')
  )
    return false
  if (filters !== undefined) {
    if (typeof filters !== 'object' || filters === null || Array.isArray(filters)) return false
    const {
      lang,
      since,
      until,
      exactSentence,
      anyOfTheseWords,
      noneOfTheseWords,
      hashtags,
      fromTheseAccounts,
      toTheseAccounts,
      mentionsTheseAccounts,
      removePostsWithLinks,
      onlyPostsWithLinks,
      removeReplies,
      onlyReplies,
      removePostsWithMedia,
      onlyPostsWithMedia,
      removePostsWithVideo,
      onlyPostsWithVideo,
      removePostsWithPhotos,
      onlyPostsWithPhotos,
      linksInclude,
      minimumRepliesCount,
      minimumRetweetsCount,
      minimumLikesCount,
      geocode,
      radius,
    } = filters
    if (
      (lang !== undefined && !isText(lang, 0, 32)) ||
      (since !== undefined && !isText(since, 0, 32)) ||
      (until !== undefined && !isText(until, 0, 32)) ||
      (exactSentence !== undefined && !isText(exactSentence, 0, 512)) ||
      (removePostsWithLinks !== undefined && typeof removePostsWithLinks !== 'boolean') ||
      (onlyPostsWithLinks !== undefined && typeof onlyPostsWithLinks !== 'boolean') ||
      (removeReplies !== undefined && typeof removeReplies !== 'boolean') ||
      (onlyReplies !== undefined && typeof onlyReplies !== 'boolean') ||
      (removePostsWithMedia !== undefined && typeof removePostsWithMedia !== 'boolean') ||
      (onlyPostsWithMedia !== undefined && typeof onlyPostsWithMedia !== 'boolean') ||
      (removePostsWithVideo !== undefined && typeof removePostsWithVideo !== 'boolean') ||
      (onlyPostsWithVideo !== undefined && typeof onlyPostsWithVideo !== 'boolean') ||
      (removePostsWithPhotos !== undefined && typeof removePostsWithPhotos !== 'boolean') ||
      (onlyPostsWithPhotos !== undefined && typeof onlyPostsWithPhotos !== 'boolean') ||
      (linksInclude !== undefined && !isText(linksInclude, 0, 200)) ||
      (minimumRepliesCount !== undefined &&
        (!Number.isSafeInteger(minimumRepliesCount) || minimumRepliesCount < 0)) ||
      (minimumRetweetsCount !== undefined &&
        (!Number.isSafeInteger(minimumRetweetsCount) || minimumRetweetsCount < 0)) ||
      (minimumLikesCount !== undefined &&
        (!Number.isSafeInteger(minimumLikesCount) || minimumLikesCount < 0)) ||
      (geocode !== undefined && !isText(geocode, 0, 120)) ||
      (radius !== undefined && !Number.isFinite(radius))
    )
      return false
    if (anyOfTheseWords !== undefined) {
      if (!Array.isArray(anyOfTheseWords) || anyOfTheseWords.length > 50) return false
      for (let i = 0; i < anyOfTheseWords.length; i++) {
        const item = anyOfTheseWords[i]
        if (!isText(item, 0, 200)) return false
      }
    }
    if (noneOfTheseWords !== undefined) {
      if (!Array.isArray(noneOfTheseWords) || noneOfTheseWords.length > 50) return false
      for (let i2 = 0; i2 < noneOfTheseWords.length; i2++) {
        const item2 = noneOfTheseWords[i2]
        if (!isText(item2, 0, 200)) return false
      }
    }
    if (hashtags !== undefined) {
      if (!Array.isArray(hashtags) || hashtags.length > 30) return false
      for (let i3 = 0; i3 < hashtags.length; i3++) {
        const item3 = hashtags[i3]
        if (!isText(item3, 0, 200)) return false
      }
    }
    if (fromTheseAccounts !== undefined) {
      if (!Array.isArray(fromTheseAccounts) || fromTheseAccounts.length > 30) return false
      for (let i4 = 0; i4 < fromTheseAccounts.length; i4++) {
        const item4 = fromTheseAccounts[i4]
        if (!isText(item4, 0, 100)) return false
      }
    }
    if (toTheseAccounts !== undefined) {
      if (!Array.isArray(toTheseAccounts) || toTheseAccounts.length > 30) return false
      for (let i5 = 0; i5 < toTheseAccounts.length; i5++) {
        const item5 = toTheseAccounts[i5]
        if (!isText(item5, 0, 100)) return false
      }
    }
    if (mentionsTheseAccounts !== undefined) {
      if (!Array.isArray(mentionsTheseAccounts) || mentionsTheseAccounts.length > 30) return false
      for (let i6 = 0; i6 < mentionsTheseAccounts.length; i6++) {
        const item6 = mentionsTheseAccounts[i6]
        if (!isText(item6, 0, 100)) return false
      }
    }
    for (const key in filters)
      switch (key) {
        case 'lang':
        case 'since':
        case 'until':
        case 'exactSentence':
        case 'anyOfTheseWords':
        case 'noneOfTheseWords':
        case 'hashtags':
        case 'fromTheseAccounts':
        case 'toTheseAccounts':
        case 'mentionsTheseAccounts':
        case 'removePostsWithLinks':
        case 'onlyPostsWithLinks':
        case 'removeReplies':
        case 'onlyReplies':
        case 'removePostsWithMedia':
        case 'onlyPostsWithMedia':
        case 'removePostsWithVideo':
        case 'onlyPostsWithVideo':
        case 'removePostsWithPhotos':
        case 'onlyPostsWithPhotos':
        case 'linksInclude':
        case 'minimumRepliesCount':
        case 'minimumRetweetsCount':
        case 'minimumLikesCount':
        case 'geocode':
        case 'radius':
          continue
        default:
          return false
      }
  }
  for (const key in params)
    switch (key) {
      case 'query':
      case 'cursor':
      case 'count':
      case 'category':
      case 'filters':
        continue
      default:
        return false
    }
  return true
}

/** Tells whether a body, with all its items, has the documented shape. */
export function acceptsResponse(body: any): boolean {
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
