import { ValidationError } from '../../errors/index.ts'
import { type Added, type Progress, addPage, gapOf, isAbove, startOf, trimmed } from './spans.ts'
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

/** What a check of a search reads. */
export interface PollOptions {
  readonly maxPages: number
  /** Params of the page with the newest posts. */
  readonly search: object
  readonly overlap: number
  /** Most ids of a span. */
  readonly mostIds: number
  /** In milliseconds since 1970. */
  readonly now: number
  /** Reads gaps, and no newer posts. */
  readonly isOfGaps: boolean
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
  { search, overlap, maxPages, mostIds, now, isOfGaps }: PollOptions,
): AsyncGenerator<PolledPage<Post>> {
  let spans: readonly WatchSpan[] = isOfGaps ? known : [{ ids: [], next: search }, ...known]
  let left = maxPages
  let isRestarted = false
  /** Whether it begins at the newest post. */
  let isNewest = !isOfGaps
  /** Gaps above this span have had their turn. */
  let first = 0
  for (;;) {
    if (!isNewest) first = gapOf(spans, now, first)
    const next = spans[first]?.next ?? null
    if (next === null || left === 0) return
    const above = spans.slice(0, first)
    // The service may list newer posts than those where the gap begins.
    const newer = new Set(above.flatMap(({ ids }) => ids))
    let added: Progress & Partial<Added> = startOf(spans.slice(first))
    let here = next
    let isLost = false
    try {
      for await (const page of pagesOf(next, { maxPages: left })) {
        left--
        const byId = new Map(page.posts.map((post) => [idOf(post), post]))
        const rest = restOf(page, here)
        const posts = new Map([...byId].map(([id, post]) => [id, timeOf(post)]))
        if (isAbove(spans[first], posts)) {
          // The service has answered an old cursor from the newest post: the place is lost, as if it had refused.
          isLost = true
          break
        }
        const { fresh, ...reached } = addPage(added, { posts, here, next: rest }, overlap, now)
        added = { ...reached, spans: trimmed(reached.spans, mostIds) }
        here = rest ?? here
        spans = [...above, ...added.spans]
        const isFresh = (post: Post): boolean => fresh.has(idOf(post)) && !newer.has(idOf(post))
        const all = [...byId.values()]
        yield { fresh: all.filter(isFresh), known: all.filter((post) => !isFresh(post)), spans: read(spans) }
        if (reached.isJoined) break
      }
    } catch (error) {
      // The service may refuse an old cursor. Then the gap is read from the newest post down.
      if (!(error instanceof ValidationError) || next === search || isRestarted) throw error
      isLost = true
    }
    if (isLost) {
      isRestarted = true
      const known = spans.map((span, index) => (index === first ? { ...span, next: search } : span))
      spans = [{ ids: [], next: search }, ...known]
      first = 0
      isNewest = true
      yield { fresh: [], known: [], spans: read(spans) }
      continue
    }
    isNewest = false
    const isDone = added.isJoined !== true || added.isSilent === true
    const { length } = spans
    spans = read(spans)
    if (isDone && spans.length === length) first++
  }
}

/** Where the posts below a page begin. If the service says that there are more, but not where, they begin at the newest post. */
function restOf({ next, meta }: Omit<Page<AnyPost>, 'posts'>, here: object): object | null {
  return next ?? (meta?.hasMore === true ? here : null)
}

/** Without a span that nothing is known of. */
function read(spans: readonly WatchSpan[]): readonly WatchSpan[] {
  return spans.filter(({ ids, oldest }) => ids.length > 0 || oldest !== undefined)
}

function idOf({ id, urn }: AnyPost): string {
  return id ?? urn ?? ''
}

/** When a post was published, as the service says it. */
export function timeOf({ timestamp, postedAt }: AnyPost): string | undefined {
  return timestamp ?? postedAt
}
