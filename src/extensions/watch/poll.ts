import { ValidationError } from '../../errors/index.ts'
import { type Added, addPage, joined, trimmed } from './spans.ts'
import type { WatchSpan } from './types.ts'

/** A post of either network. */
export interface AnyPost {
  readonly id?: string
  readonly urn?: string
  readonly timestamp?: string
  readonly postedAt?: string
}

/** A page of either network. */
export interface Page<Post> {
  readonly posts: readonly Post[]
  readonly next: object | null
  readonly meta?: { readonly hasMore?: boolean } | null
}

export type Pages<Post> = (
  params: object,
  options: { readonly maxPages: number },
) => AsyncIterable<Page<Post>>

/** What a look at a search reads. */
export interface PollOptions {
  readonly maxPages: number
  /** Params of the page with the newest posts. */
  readonly search: object
  readonly overlap: number
  /** Most ids of a span. */
  readonly mostIds: number
}

/** The posts of a page, newest first, and what has been read by now. */
export interface PolledPage<Post> {
  readonly fresh: readonly Post[]
  /** All others. */
  readonly known: readonly Post[]
  readonly spans: readonly WatchSpan[]
}

/** Reads pages from the newest post down to known ones, and then fills gaps, the newest first. */
export async function* poll<Post extends AnyPost>(
  pagesOf: Pages<Post>,
  known: readonly WatchSpan[],
  { search, overlap, maxPages, mostIds }: PollOptions,
): AsyncGenerator<PolledPage<Post>> {
  let spans: readonly WatchSpan[] = [{ ids: [], next: search }, ...known]
  let left = maxPages
  let isRestarted = false
  for (;;) {
    const next = spans[0]?.next ?? null
    if (next === null || left === 0) return
    let added: Added = { spans, inARow: 0, depth: 0, fresh: new Set(), isJoined: false }
    try {
      for await (const page of pagesOf(next, { maxPages: left })) {
        left--
        const byId = new Map(page.posts.map((post) => [idOf(post), post]))
        // If the service says that there is more, but not where, the rest is a gap that begins at the newest post.
        const rest = page.next ?? (page.meta?.hasMore === true ? search : null)
        const posts = new Map([...byId].map(([id, post]) => [id, timeOf(post)]))
        added = addPage(added, { posts, next: rest }, overlap)
        spans = trimmed(added.spans, mostIds)
        added = { ...added, spans }
        const isFresh = (post: Post): boolean => added.fresh.has(idOf(post))
        const all = [...byId.values()]
        yield { fresh: all.filter(isFresh), known: all.filter((post) => !isFresh(post)), spans }
        if (added.isJoined) break
      }
    } catch (error) {
      // The service may refuse an old cursor. Then the gap is read from the newest post down.
      if (!(error instanceof ValidationError) || next === search || isRestarted) throw error
      isRestarted = true
      spans = spans.map((span, index) => (index === 0 ? { ...span, next: search } : span))
      yield { fresh: [], known: [], spans }
      continue
    }
    if (added.isJoined || left === 0) continue
    // A walk ends after three empty pages in a row.
    spans = joined([{ ids: [], ...spans[0], next: null }, ...spans.slice(1)], spans.length - 1)
    yield { fresh: [], known: [], spans }
  }
}

function idOf({ id, urn }: AnyPost): string {
  return id ?? urn ?? ''
}

/** When a post was published, as the service says it. */
export function timeOf({ timestamp, postedAt }: AnyPost): string | undefined {
  return timestamp ?? postedAt
}
