// Written by `npm run validators` from the schemas of professionalnet.company.get.

import { isText } from '../schema.ts'

/** Tells whether params have the documented shape. */
export function acceptsRequest(params: any): boolean {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return false
  const { url } = params
  if (!isText(url, 1, 2048)) return false
  for (const key in params)
    switch (key) {
      case 'url':
        continue
      default:
        return false
    }
  return true
}

/** Tells whether a body, with all its items, has the documented shape. */
export function acceptsResponse(body: any): boolean {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false
  const { requestId, company } = body
  if (
    typeof requestId !== 'string' ||
    typeof company !== 'object' ||
    company === null ||
    Array.isArray(company)
  )
    return false
  const {
    id,
    name,
    universalName,
    linkedinUrl,
    description,
    tagline,
    websiteUrl,
    industry,
    foundedYear,
    followerCount,
    employeeCount,
    employeeCountRange,
    headquarter,
    locations,
    specialities,
    logoUrl,
  } = company
  if (
    typeof id !== 'string' ||
    typeof name !== 'string' ||
    (universalName !== null && typeof universalName !== 'string') ||
    (linkedinUrl !== null && typeof linkedinUrl !== 'string') ||
    (description !== null && typeof description !== 'string') ||
    (tagline !== null && typeof tagline !== 'string') ||
    (websiteUrl !== null && typeof websiteUrl !== 'string') ||
    (industry !== null && typeof industry !== 'string') ||
    (foundedYear !== null && !Number.isSafeInteger(foundedYear)) ||
    !Number.isSafeInteger(followerCount) ||
    followerCount < 0 ||
    !Number.isSafeInteger(employeeCount) ||
    employeeCount < 0 ||
    !Array.isArray(locations) ||
    !Array.isArray(specialities) ||
    (logoUrl !== null && typeof logoUrl !== 'string')
  )
    return false
  if (employeeCountRange !== null) {
    if (
      typeof employeeCountRange !== 'object' ||
      employeeCountRange === null ||
      Array.isArray(employeeCountRange)
    )
      return false
    const { start, end } = employeeCountRange
    if (
      !Number.isSafeInteger(start) ||
      start < 0 ||
      (end !== null && (!Number.isSafeInteger(end) || end < 0))
    )
      return false
  }
  if (headquarter !== null) {
    if (typeof headquarter !== 'object' || headquarter === null || Array.isArray(headquarter)) return false
    const {
      country,
      city,
      geographicArea,
      postalCode,
      line1,
      line2,
      description: description2,
      headquarter: headquarter2,
    } = headquarter
    if (
      (country !== null && typeof country !== 'string') ||
      (city !== null && typeof city !== 'string') ||
      (geographicArea !== null && typeof geographicArea !== 'string') ||
      (postalCode !== null && typeof postalCode !== 'string') ||
      (line1 !== null && typeof line1 !== 'string') ||
      (line2 !== null && typeof line2 !== 'string') ||
      (description2 !== null && typeof description2 !== 'string') ||
      typeof headquarter2 !== 'boolean'
    )
      return false
  }
  for (let i = 0; i < locations.length; i++) {
    const item = locations[i]
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return false
    const {
      country: country2,
      city: city2,
      geographicArea: geographicArea2,
      postalCode: postalCode2,
      line1: line12,
      line2: line22,
      description: description3,
      headquarter: headquarter3,
    } = item
    if (
      (country2 !== null && typeof country2 !== 'string') ||
      (city2 !== null && typeof city2 !== 'string') ||
      (geographicArea2 !== null && typeof geographicArea2 !== 'string') ||
      (postalCode2 !== null && typeof postalCode2 !== 'string') ||
      (line12 !== null && typeof line12 !== 'string') ||
      (line22 !== null && typeof line22 !== 'string') ||
      (description3 !== null && typeof description3 !== 'string') ||
      typeof headquarter3 !== 'boolean'
    )
      return false
  }
  for (let i2 = 0; i2 < specialities.length; i2++) {
    const item2 = specialities[i2]
    if (typeof item2 !== 'string') return false
  }
  return true
}
