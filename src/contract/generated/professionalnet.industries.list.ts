// Written by `npm run validators` from the schemas of professionalnet.industries.list.

import { isText } from '../schema.ts'

/** Tells whether params have the documented shape. */
export function acceptsRequest(params: any): boolean {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return false
  const { q, page } = params
  if (
    (q !== undefined && !isText(q, 1, 100)) ||
    (page !== undefined && (!Number.isSafeInteger(page) || page < 1))
  )
    return false
  for (const key in params)
    switch (key) {
      case 'q':
      case 'page':
        continue
      default:
        return false
    }
  return true
}

/** Tells whether a body, with all its items, has the documented shape. */
export function acceptsResponse(body: any): boolean {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false
  const { requestId, industries, meta } = body
  if (
    typeof requestId !== 'string' ||
    !Array.isArray(industries) ||
    typeof meta !== 'object' ||
    meta === null ||
    Array.isArray(meta)
  )
    return false
  for (let i = 0; i < industries.length; i++) {
    const item = industries[i]
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return false
    const { id, label, hierarchy } = item
    if (!Number.isSafeInteger(id) || typeof label !== 'string' || typeof hierarchy !== 'string') return false
  }
  const { total, page, pageCount, pageSize } = meta
  if (
    !Number.isSafeInteger(total) ||
    !Number.isSafeInteger(page) ||
    !Number.isSafeInteger(pageCount) ||
    !Number.isSafeInteger(pageSize)
  )
    return false
  return true
}
