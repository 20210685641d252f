import type { MicroblogPost, MicroblogSearchParams } from '../api/microblog.ts'
import type { MicroblogSearchPage } from '../resources/microblog.ts'

/** The result of one poll. */
export interface Poll {
  /** Unknown posts, newest first. */
  fresh: MicroblogPost[]
  /** Ids of all posts on its pages, newest first. */
  seen: Set<string>
  pages: number
  /** Params of the next page; null if the poll reached enough known posts, or the end. */
  next: MicroblogSearchParams | null
  /** The error that ended the poll early. */
  failure: { readonly error: unknown } | null
}

/**
 * Reads pages, newest posts first, until `overlap` known posts come in a row. One known post is not enough: the service may
 * list a post late, below newer ones.
 */
export async function poll(
  pages: AsyncIterable<MicroblogSearchPage>,
  known: ReadonlySet<string>,
  overlap: number,
): Promise<Poll> {
  const result: Poll = { fresh: [], seen: new Set(), pages: 0, next: null, failure: null }
  const { fresh, seen } = result
  let inARow = 0
  try {
    for await (const page of pages) {
      result.pages++
      result.next = page.next
      /** Unknown posts below the overlap: late ones if a known post follows, otherwise older than every known post. */
      let below: MicroblogPost[] = []
      for (const post of page.posts) {
        // New posts during the poll push posts to the next page, so they appear twice.
        if (seen.has(post.id)) continue
        const isKnown = known.has(post.id)
        if (inARow >= overlap && !isKnown) {
          below.push(post)
          continue
        }
        for (const { id } of below) seen.add(id)
        fresh.push(...below)
        below = []
        seen.add(post.id)
        if (isKnown) inARow++
        else {
          inARow = 0
          fresh.push(post)
        }
      }
      if (inARow >= overlap) return { ...result, next: null }
    }
  } catch (error) {
    result.failure = { error }
  }
  return result
}
