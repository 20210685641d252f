import type { WatchGap, WatchSpan } from './types.ts'

/** With more spans than this, the watch forgets what it has read between the oldest gaps, so that the state stays small. */
const mostSpans = 20

/** A page as a watch needs it. */
export interface ReadPage {
  /** When each of its posts was published, by id, newest first. */
  readonly posts: ReadonlyMap<string, string | undefined>
  /** Params of the next page; null after the last one. */
  readonly next: object | null
}

/** How far a poll has come. */
export interface Progress {
  /** The poll reads the first span, and has not reached the others. */
  readonly spans: readonly WatchSpan[]
  /** Known posts of one span in a row, up to the last post that was read. */
  readonly inARow: number
  /** How many of the spans below the posts so far belong to. */
  readonly depth: number
}

/** What a page has brought. */
export interface Added extends Progress {
  /** Ids of the new posts. */
  readonly fresh: ReadonlySet<string>
  /** Whether the page has reached the spans below, or the end. */
  readonly isJoined: boolean
}

/**
 * Adds a page to the first span. When `overlap` posts of the spans below come in a row, joins these spans. One known post is
 * not enough: the service may list a post late, below newer ones.
 */
export function addPage(progress: Progress, { posts, next }: ReadPage, overlap: number): Added {
  const [reading, ...below] = progress.spans
  let { inARow, depth } = progress
  let oldest = reading?.oldest
  // New posts push posts to the next page, so they appear twice.
  const seen = new Set(reading?.ids)
  const fresh = new Set<string>()
  const depths = depthsOf(below)
  /** Unknown posts below the overlap: late ones if a known post follows, otherwise in a gap, or older than every known post. */
  let unsure: string[] = []
  for (const [id, time] of posts) {
    if (seen.has(id)) continue
    const found = depths.get(id)
    if (found === undefined && inARow >= overlap) {
      unsure.push(id)
      continue
    }
    for (const late of [...unsure, id]) seen.add(late)
    for (const late of unsure) fresh.add(late)
    unsure = []
    if (found === undefined) {
      fresh.add(id)
      oldest = earlier(oldest, time)
      inARow = 0
    } else {
      // Posts above a gap tell nothing of those below it.
      inARow = found > depth ? 1 : inARow + 1
      depth = Math.max(depth, found)
    }
  }
  // With fewer known posts than the overlap, a first page without new posts is enough.
  const isQuiet = reading?.ids.length === 0 && depths.size < overlap && fresh.size === 0 && inARow > 0
  const isJoined = inARow >= overlap || next === null || isQuiet
  const reached = !isJoined ? 0 : inARow >= overlap || isQuiet ? depth : below.length
  const gap = below[reached - 1]?.next ?? null
  if (isJoined && gap !== null)
    for (const id of unsure) {
      seen.add(id)
      fresh.add(id)
      oldest = earlier(oldest, posts.get(id))
    }
  const [newest] = posts.values()
  const first = {
    ...{ ids: [...seen], next: isJoined ? laterOf(gap, next) : next },
    ...times(reading?.newest ?? newest, oldest),
  }
  return { spans: joined([first, ...below], reached), inARow, depth, fresh, isJoined }
}

/** Joins the first span with so many below it. */
export function joined(spans: readonly WatchSpan[], count: number): WatchSpan[] {
  const [first, ...below] = spans
  const ids = new Set([...(first?.ids ?? []), ...below.slice(0, count).flatMap(({ ids }) => ids)])
  const reached = below.slice(0, count)
  const newest = [first, ...reached].find((span) => span?.newest !== undefined)?.newest
  const oldest = reached.reduce((time, span) => earlier(time, span.oldest), first?.oldest)
  const all = [{ ids: [...ids], next: first?.next ?? null, ...times(newest, oldest) }, ...below.slice(count)]
  // The gap above the forgotten span is read down to the one below it.
  if (all.length > mostSpans) all.splice(-2, 1)
  return all
}

/** Keeps the newest ids and, above a gap, the oldest. */
export function trimmed(spans: readonly WatchSpan[], most: number): WatchSpan[] {
  return spans.map((span) => {
    const { ids, next } = span
    if (ids.length <= most) return span
    if (next === null) return { ...span, ids: ids.slice(0, most) }
    return { ...span, ids: [...ids.slice(0, most / 2), ...ids.slice(-most / 2)] }
  })
}

/** What is missing between spans, newest first. */
export function gapsOf(spans: readonly WatchSpan[]): WatchGap[] {
  return spans.flatMap(({ next, oldest }, index) =>
    next === null ? [] : [{ from: spans[index + 1]?.newest ?? null, to: oldest ?? null }],
  )
}

/** Absent if unknown: a state is plain JSON. */
function times(
  newest: string | undefined,
  oldest: string | undefined,
): { readonly newest?: string; readonly oldest?: string } {
  return { ...(newest !== undefined && { newest }), ...(oldest !== undefined && { oldest }) }
}

/** The earlier of two times; a late post may be listed in between. */
function earlier(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return Date.parse(other) < Date.parse(one) ? other : one
}

/** For each id, how many spans a poll that finds it has reached. */
function depthsOf(spans: readonly WatchSpan[]): Map<string, number> {
  const depths = new Map<string, number>()
  spans.forEach(({ ids }, index) => {
    for (const id of ids) if (!depths.has(id)) depths.set(id, index + 1)
  })
  return depths
}

/** New posts shift numbered pages, so the page after the one just read may be the better start of a gap. */
function laterOf(stored: object | null, here: object | null): object | null {
  const { page: from } = Object(stored) as { page?: unknown }
  const { page: to } = Object(here) as { page?: unknown }
  return typeof from === 'number' && typeof to === 'number' ? { ...stored, page: Math.max(from, to) } : stored
}
