import type { MicroblogPost, MicroblogSearchParams } from '../api/microblog.ts'
import type { MicroblogSearchPage } from '../resources/microblog.ts'

/** The result of one poll. */
export interface Poll {
  /** Unknown posts, newest first. */
  readonly fresh: MicroblogPost[]
  /** Ids of all posts on its pages, newest first. */
  readonly seen: Set<string>
  readonly pages: number
  /** Params of the next page; null if the poll reached enough known posts, or the end. */
  readonly next: MicroblogSearchParams | null
  /** The error that ended the poll early. */
  readonly failure: { readonly error: unknown } | null
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
  const fresh: MicroblogPost[] = []
  const seen = new Set<string>()
  let count = 0
  let inARow = 0
  let next: MicroblogSearchParams | null = null
  try {
    for await (const page of pages) {
      count++
      next = page.next
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
      if (inARow >= overlap) return { fresh, seen, pages: count, next: null, failure: null }
    }
    return { fresh, seen, pages: count, next, failure: null }
  } catch (error) {
    return { fresh, seen, pages: count, next, failure: { error } }
  }
}
