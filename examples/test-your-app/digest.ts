import { type MicroblogPost, type SocialSearch, isSocialSearchError } from 'social-search-sdk'

export interface Digest {
  posts: MicroblogPost[]
  /** Set if a page was lost: its credits may have been charged. */
  warning?: string
}

/** Finds the posts of the first two pages that people liked most. The app passes its client, and a test passes its own. */
export async function digest(client: SocialSearch, query: string, count = 3): Promise<Digest> {
  const posts: MicroblogPost[] = []
  try {
    for await (const post of client.microblog.search({ query }, { maxPages: 2 })) posts.push(post)
  } catch (error) {
    if (!isSocialSearchError(error) || error.charged !== 'unknown') throw error
    return { posts: best(posts, count), warning: `a page was lost: ${error.message}` }
  }
  return { posts: best(posts, count) }
}

function best(posts: MicroblogPost[], count: number): MicroblogPost[] {
  return posts.toSorted((a, b) => b.engagements.favoriteCount - a.engagements.favoriteCount).slice(0, count)
}
