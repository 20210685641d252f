import { parseTime } from '../../lib/time.ts'
import type { WatchGap, WatchSpan } from './types.ts'

/** With more spans than this, the watch forgets what it has read between the oldest gaps, so that the state stays small. */
const mostSpans = 20
/** After so long without a post where a gap begins, in milliseconds, nothing is missing there: less than a day, for nightly runs. */
const longestSilence = 20 * 3_600_000

/** And it was asked so often: hours in which nobody asked prove nothing. */
const leastAsked = 4

/** A page as a watch needs it. */
export interface ReadPage {
  /** When each of its posts was published, by id, newest first. */
  readonly posts: ReadonlyMap<string, string | undefined>
  /** Params of this page. */
  readonly here: object
  /** Params of the next page; null after the last one. */
  readonly next: object | null
}

/** What a walk knows of the posts so far. */
export interface Progress {
  /** The walk reads the first span, and has not reached the others. */
  readonly spans: readonly WatchSpan[]
  /** Known posts of one span in a row, up to the last post that was read. */
  readonly inARow: number
  /** Posts in a row that are older than every known one. */
  readonly older: number
  /** How many of the spans below the posts so far belong to. */
  readonly depth: number
}

/** What a page has brought. */
export interface Added extends Progress {
  /** Ids of the new posts. */
  readonly fresh: ReadonlySet<string>
  /** Whether nothing is missing between the first span and one below, or the end. */
  readonly isJoined: boolean
  /** Whether the service has listed no post where known ones should follow. */
  readonly isSilent: boolean
}

/** A walk that reads the first span. */
export function startOf(spans: readonly WatchSpan[]): Progress {
  return { spans, inARow: 0, older: 0, depth: 0 }
}

/**
 * Adds a page to the first span. When `overlap` posts of the spans below come in a row, joins these spans. One known post is
 * not enough: the service may list a post late, below newer ones.
 */
export function addPage(progress: Progress, page: ReadPage, overlap: number, now: number): Added {
  const [reading = { ids: [], next: null }, ...below] = progress.spans
  const { posts, here, next } = page
  let { inARow, older, depth } = progress
  if (isStale(reading, below, posts)) return { ...progress, fresh: new Set(), isJoined: true, isSilent: true }
  // New posts push posts to the next page, so they appear twice.
  const seen = new Set(reading.ids)
  const fresh = new Set<string>()
  const depths = depthsOf(below)
  const enough = Math.min(overlap, depths.size || overlap)
  const isFirst = depths.size === 0 && reading.ids.length === 0
  const oldestKnown = parseTime(below.at(-1)?.oldest)
  /** Unknown posts below known ones: late ones if a known post follows, otherwise in a gap, or older than every known post. */
  let unsure: string[] = []
  const add = (ids: readonly string[]): void => {
    for (const id of ids) fresh.add(id)
    for (const id of ids) seen.add(id)
  }
  for (const [id, time] of posts) {
    if (seen.has(id)) continue
    const found = depths.get(id)
    const isOlder = found === undefined && parseTime(time) < oldestKnown
    older = isOlder ? older + 1 : 0
    if (found === undefined && !isFirst && (isOlder || inARow >= enough)) {
      unsure.push(id)
      continue
    }
    add(unsure)
    unsure = []
    if (found === undefined) {
      add([id])
      inARow = 0
    } else {
      seen.add(id)
      // Posts above a gap tell nothing of those below it.
      inARow = found > depth ? 1 : inARow + 1
      depth = Math.max(depth, found)
    }
  }
  const isEnough = inARow >= enough
  // With fewer known posts than the overlap, a first page without new posts is enough.
  const isQuiet = reading.ids.length === 0 && depths.size < overlap && fresh.size === 0 && inARow > 0
  let reached = isEnough || isQuiet ? depth : 0
  let silence: WatchSpan['silence']
  if (reached === 0 && (older >= overlap || (next === null && depths.size === 0))) reached = below.length
  else if (reached === 0 && (next === null || posts.size === 0)) {
    // No post is listed where known ones should follow. That proves nothing, unless it stays so.
    reached = next === null ? depth : 0
    const above = [reading, ...below][reached]
    const [since = now, , asked = 0] = above?.silence ?? []
    if (above?.next && (now - since < longestSilence || (posts.size === 0 && asked + 1 < leastAsked)))
      silence = [since, now, asked + 1]
    else if (above?.next) reached++
  }
  const isJoined = reached > 0 || (next === null && below.length === 0)
  const gap = below[reached - 1]
  const isWanted = (id: string): boolean => {
    const time = parseTime(posts.get(id))
    if (isJoined) return gap?.next ? !(time < oldestKnown) : time > oldestKnown
    // Below a time alone, no known post can follow.
    if (depths.size === 0 && time < oldestKnown) return false
    // Known posts may follow on the next page.
    return inARow === 0 && next !== null
  }
  add(unsure.filter(isWanted))
  const [newest] = posts.values()
  const first: WatchSpan = {
    ids: [...seen],
    next: isJoined ? laterOf(gap?.next ?? null, next) : (next ?? here),
    ...defined({
      newest: reading.newest ?? newest,
      oldest: [...fresh].map((id) => posts.get(id)).reduce(earlier, reading.oldest),
      silence: silence ?? gap?.silence,
    }),
  }
  const spans = joined([first, ...below], reached)
  return { spans, inARow, older, depth, fresh, isJoined, isSilent: silence !== undefined }
}

/** Whether the newest page has only posts from below the newest gap: some cache has kept it, so it tells nothing of that gap. */
function isStale(reading: WatchSpan, [newest]: readonly WatchSpan[], posts: ReadPage['posts']): boolean {
  if (reading.ids.length > 0 || !newest?.next) return false
  const { ids, oldest } = newest
  return (
    posts.size > 0 &&
    [...posts].every(([id, time]) => !ids.includes(id) && parseTime(time) < parseTime(oldest))
  )
}

/**
 * The first gap to read, from a span on; -1 if there is none. After a silence, a watch waits longer and longer before it asks
 * again.
 */
export function gapOf(spans: readonly WatchSpan[], now: number, from = 0): number {
  return spans.findIndex(({ next, silence: [since, at] = [0, 0] }, index) => {
    // The clock may have been set back.
    const isWaiting = now >= at && now - at < at - since
    const { cursor, page } = Object(next) as { cursor?: unknown; page?: unknown }
    // One that begins at the newest post is read from there. New posts shift numbered pages, and may come from above the span.
    const isPlaced = cursor !== undefined || (page !== undefined && index === 0)
    return index >= from && isPlaced && !isWaiting
  })
}

/** Joins the first span with so many below it. */
function joined(spans: readonly WatchSpan[], count: number): WatchSpan[] {
  const [first, ...below] = spans
  const reached = below.slice(0, count)
  const ids = new Set([...(first?.ids ?? []), ...reached.flatMap(({ ids }) => ids)])
  const newest = [first, ...reached].find((span) => span?.newest !== undefined)?.newest
  const oldest = reached.reduce((time, span) => earlier(time, span.oldest), first?.oldest)
  const whole = { ids: [...ids], next: first?.next ?? null }
  const all = [{ ...whole, ...defined({ newest, oldest, silence: first?.silence }) }, ...below.slice(count)]
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

/** Whether another check would fill a gap. */
export function hasMore(spans: readonly WatchSpan[]): boolean {
  return spans.some(({ next, silence }) => next !== null && silence === undefined)
}

/** What is missing between spans, newest first. */
export function gapsOf(spans: readonly WatchSpan[]): WatchGap[] {
  return spans.flatMap(({ next, oldest }, index) =>
    next === null ? [] : [{ from: spans[index + 1]?.newest ?? null, to: oldest ?? null }],
  )
}

/** Leaves out what is unknown: a state is plain JSON. */
function defined(fields: {
  [Name in 'newest' | 'oldest' | 'silence']: WatchSpan[Name] | undefined
}): Partial<WatchSpan> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** The earlier of two times; a late post may be listed in between. */
function earlier(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return parseTime(other) < parseTime(one) ? other : one
}

/** For each id, how many spans a poll that finds it has reached. */
function depthsOf(spans: readonly WatchSpan[]): Map<string, number> {
  const depths = new Map<string, number>()
  spans.forEach(({ ids }, index) => {
    for (const id of ids) if (!depths.has(id)) depths.set(id, index + 1)
  })
  return depths
}

/**
 * Where to read on below a gap: new posts shift numbered pages, so the page after the one just read may be the better start.
 * So it is for a gap that begins at the newest post.
 */
function laterOf(stored: object | null, here: object | null): object | null {
  if (stored === null) return null
  const { page: from, cursor } = stored as { page?: unknown; cursor?: unknown }
  const { page: to } = Object(here) as { page?: unknown }
  if (typeof from === 'number' && typeof to === 'number') return { ...stored, page: Math.max(from, to) }
  return from === undefined && cursor === undefined ? (here ?? stored) : stored
}

/** Whether a page begins above a span whose gap it should fill: with a newer post that the span does not know. */
export function isAbove(span: WatchSpan | undefined, posts: ReadPage['posts']): boolean {
  const [[id, time] = ['']] = posts
  return !span?.ids.includes(id) && parseTime(time) > parseTime(span?.newest)
}
