// Written by `npm run validators` from the schemas of professionalnet.posts.comments.

import { isText } from '../schema.ts'

/** Tells whether params have the documented shape. */
export function acceptsRequest(params: any): boolean {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return false
  const { postUrl, maxComments } = params
  if (
    !isText(postUrl, 1, 2048) ||
    (maxComments !== undefined &&
      (!Number.isSafeInteger(maxComments) || maxComments < 100 || maxComments > 1000))
  )
    return false
  for (const key in params)
    switch (key) {
      case 'postUrl':
      case 'maxComments':
        continue
      default:
        return false
    }
  return true
}

/** Tells whether a body, with all its items, has the documented shape. */
export function acceptsResponse(body: any): boolean {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false
  const { requestId, comments, meta } = body
  if (
    typeof requestId !== 'string' ||
    !Array.isArray(comments) ||
    typeof meta !== 'object' ||
    meta === null ||
    Array.isArray(meta)
  )
    return false
  for (let i = 0; i < comments.length; i++) {
    const item = comments[i]
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return false
    const { profileUrl, authorName, authorHeadline, text, timestamp, permalink } = item
    if (
      typeof profileUrl !== 'string' ||
      typeof authorName !== 'string' ||
      typeof authorHeadline !== 'string' ||
      typeof text !== 'string' ||
      typeof timestamp !== 'string' ||
      typeof permalink !== 'string'
    )
      return false
  }
  const { returnedCount, total, creditsCharged } = meta
  if (
    !Number.isSafeInteger(returnedCount) ||
    ('total' in meta && !Number.isSafeInteger(total)) ||
    !Number.isSafeInteger(creditsCharged)
  )
    return false
  return true
}
