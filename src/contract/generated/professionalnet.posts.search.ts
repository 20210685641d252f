// Written by `npm run validators` from the schemas of professionalnet.posts.search.

import { isText } from '../schema.ts'

/** Tells whether params have the documented shape. */
export function acceptsRequest(params: any): boolean {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return false
  const {
    query,
    page,
    sort_by,
    count,
    author_job_title,
    content_type,
    from_member,
    from_organization,
    author_company,
    author_industry,
    mentions_member,
    mentions_organization,
  } = params
  if (
    !isText(query, 1, 200) ||
    (page !== undefined && (!Number.isSafeInteger(page) || page < 1)) ||
    (sort_by !== undefined && sort_by !== 'recent' && sort_by !== 'relevant') ||
    (count !== undefined && (!Number.isSafeInteger(count) || count < 1 || count > 20)) ||
    (author_job_title !== undefined && !isText(author_job_title, 0, 80)) ||
    (content_type !== undefined &&
      content_type !== 'photos' &&
      content_type !== 'videos' &&
      content_type !== 'liveVideos' &&
      content_type !== 'collaborativeArticles' &&
      content_type !== 'documents') ||
    (from_member !== undefined && !isText(from_member, 0, 120)) ||
    (from_organization !== undefined && !isText(from_organization, 0, 120)) ||
    (author_company !== undefined && !isText(author_company, 0, 120)) ||
    (mentions_member !== undefined && !isText(mentions_member, 0, 120)) ||
    (mentions_organization !== undefined && !isText(mentions_organization, 0, 120))
  )
    return false
  if (author_industry !== undefined) {
    if (!Array.isArray(author_industry) || author_industry.length > 5) return false
    for (let i = 0; i < author_industry.length; i++) {
      const item = author_industry[i]
      if (!Number.isSafeInteger(item)) return false
    }
  }
  for (const key in params)
    switch (key) {
      case 'query':
      case 'page':
      case 'sort_by':
      case 'count':
      case 'author_job_title':
      case 'content_type':
      case 'from_member':
      case 'from_organization':
      case 'author_company':
      case 'author_industry':
      case 'mentions_member':
      case 'mentions_organization':
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
    const {
      share_url,
      actor,
      commentary,
      social_details,
      postedAt,
      urn,
      reactionsUrn,
      commentsUrn,
      repostsUrn,
      imageComponent,
      articleComponent,
      professionalnetVideoComponent,
      documentComponent,
      pollComponent,
    } = item
    if (
      typeof share_url !== 'string' ||
      typeof actor !== 'object' ||
      actor === null ||
      Array.isArray(actor) ||
      typeof commentary !== 'string' ||
      typeof social_details !== 'object' ||
      social_details === null ||
      Array.isArray(social_details) ||
      typeof postedAt !== 'string' ||
      typeof urn !== 'string' ||
      typeof reactionsUrn !== 'string' ||
      typeof commentsUrn !== 'string' ||
      typeof repostsUrn !== 'string'
    )
      return false
    const { actor_image, actor_description, actor_name, actor_subDescription, actor_navigationContext } =
      actor
    if (
      typeof actor_image !== 'string' ||
      typeof actor_description !== 'string' ||
      typeof actor_name !== 'string' ||
      typeof actor_subDescription !== 'string' ||
      typeof actor_navigationContext !== 'string'
    )
      return false
    const { numLikes, numComments, numShares, reactionTypeCounts } = social_details
    if (
      !Number.isFinite(numLikes) ||
      !Number.isFinite(numComments) ||
      !Number.isFinite(numShares) ||
      !Array.isArray(reactionTypeCounts)
    )
      return false
    for (let i2 = 0; i2 < reactionTypeCounts.length; i2++) {
      const item2 = reactionTypeCounts[i2]
      if (typeof item2 !== 'object' || item2 === null || Array.isArray(item2)) return false
      const { type, count } = item2
      if (typeof type !== 'string' || !Number.isFinite(count)) return false
    }
    if ('imageComponent' in item) {
      if (!Array.isArray(imageComponent)) return false
      for (let i3 = 0; i3 < imageComponent.length; i3++) {
        const item3 = imageComponent[i3]
        if (typeof item3 !== 'string') return false
      }
    }
    if ('articleComponent' in item) {
      if (
        typeof articleComponent !== 'object' ||
        articleComponent === null ||
        Array.isArray(articleComponent)
      )
        return false
      const { title, subtitle, navigationContext, smallImage, description } = articleComponent
      if (
        typeof title !== 'string' ||
        typeof subtitle !== 'string' ||
        typeof navigationContext !== 'string' ||
        typeof smallImage !== 'string' ||
        ('description' in articleComponent && typeof description !== 'string')
      )
        return false
    }
    if ('professionalnetVideoComponent' in item) {
      if (
        typeof professionalnetVideoComponent !== 'object' ||
        professionalnetVideoComponent === null ||
        Array.isArray(professionalnetVideoComponent)
      )
        return false
      const { thumbnail, duration, provider } = professionalnetVideoComponent
      if (typeof thumbnail !== 'string' || !Number.isFinite(duration) || typeof provider !== 'string')
        return false
    }
    if ('documentComponent' in item) {
      if (
        typeof documentComponent !== 'object' ||
        documentComponent === null ||
        Array.isArray(documentComponent)
      )
        return false
      const { title: title2, transcribedDocumentUrl, coverPages } = documentComponent
      if (
        typeof title2 !== 'string' ||
        typeof transcribedDocumentUrl !== 'string' ||
        !Array.isArray(coverPages)
      )
        return false
      for (let i4 = 0; i4 < coverPages.length; i4++) {
        const item4 = coverPages[i4]
        if (typeof item4 !== 'object' || item4 === null || Array.isArray(item4)) return false
        const { width, height, imageUrls } = item4
        if (!Number.isFinite(width) || !Number.isFinite(height) || !Array.isArray(imageUrls)) return false
        for (let i5 = 0; i5 < imageUrls.length; i5++) {
          const item5 = imageUrls[i5]
          if (typeof item5 !== 'string') return false
        }
      }
    }
    if ('pollComponent' in item) {
      if (typeof pollComponent !== 'object' || pollComponent === null || Array.isArray(pollComponent))
        return false
      const {
        question,
        visibilityInfo,
        showPollSummaryInfo,
        pollOptions,
        totalVotes,
        closed,
        remainingDuration,
      } = pollComponent
      if (
        typeof question !== 'string' ||
        typeof visibilityInfo !== 'string' ||
        typeof showPollSummaryInfo !== 'boolean' ||
        !Array.isArray(pollOptions) ||
        !Number.isFinite(totalVotes) ||
        typeof closed !== 'boolean' ||
        typeof remainingDuration !== 'string'
      )
        return false
      for (let i6 = 0; i6 < pollOptions.length; i6++) {
        const item6 = pollOptions[i6]
        if (typeof item6 !== 'object' || item6 === null || Array.isArray(item6)) return false
        const { option, votes } = item6
        if (typeof option !== 'string' || !Number.isFinite(votes)) return false
      }
    }
  }
  const { returnedCount, page } = meta
  if (!Number.isSafeInteger(returnedCount) || returnedCount < 0 || !Number.isSafeInteger(page) || page < 1)
    return false
  return true
}
