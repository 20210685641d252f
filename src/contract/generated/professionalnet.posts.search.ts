// Written by `npm run validators` from the schemas of professionalnet.posts.search.

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
