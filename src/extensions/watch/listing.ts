/** What the posts of a page say: which of them are new, and which of the spans below its own it touches. */
import { parseTime } from '../../lib/time.ts'
import { type Spans, isForgotten, timesOf } from './spans.ts'
import type { WatchSpan } from './types.ts'

/** A page as a watch needs it. */
export interface ReadPage {
  /** When each of its posts was published, by id, newest first. */
  readonly posts: ReadonlyMap<string, string | undefined>
  /** Params of this page. */
  readonly asked: object
  /** Params of the page below; null if the service does not say. */
  readonly next: object | null
  /** Whether the list ends with this page, as the service says. */
  readonly isEnd: boolean
}

/** A page whose place among the spans is known. */
export interface PlacedPage extends ReadPage {
  readonly above: Spans
  /** The span that the page goes on with; one without posts if it begins a span of its own. */
  readonly upper: WatchSpan
  readonly below: Spans
}

/** What the posts of a page say. */
export interface Listing {
  /** Posts of its span, and of the spans below that it touches, newest first, with their times: NaN if unknown. */
  readonly posts: ReadonlyMap<string, number>
  /** Ids of the new ones. */
  readonly fresh: ReadonlySet<string>
  /** How many of the spans below it touches. */
  readonly touched: number
  /** Whether it lists new posts below those that it touches. */
  readonly isBeyond: boolean
}

/** What the posts of a page say, and its end. */
export function listingOf(page: PlacedPage, overlap: number): Listing {
  const { upper, below } = page
  const depths = depthsOf(below)
  // The first posts ever are all new, whenever they were published.
  const isFirst = depths.size === 0 && upper.ids.length === 0
  const walk = walked(page, depths, Math.min(overlap, depths.size), isFirst)
  const { posts, fresh, older, deepest, inARow, isBeyond } = walk
  let { touched } = walk
  const isEmpty = page.posts.size === 0
  // If no post is known below, the list may end with the page; an empty page proves nothing.
  if (page.isEnd) touched = depths.size === 0 && !isEmpty ? below.length : deepest
  // Whatever is missing was published before everything known.
  const isPast = older.size >= overlap || (!isEmpty && older.size === page.posts.size)
  if (touched === 0 && isPast) touched = below.length
  // With fewer known posts than the overlap, a first page without new posts is enough.
  const isQuiet = upper.ids.length === 0 && fresh.size === 0 && depths.size < overlap
  if (touched === 0 && isQuiet && inARow > 0) touched = deepest
  // Known posts may follow on the next page.
  const isCut = touched === 0 && inARow === 0 && depths.size > 0 && !page.isEnd
  if (isFirst || isCut) addNew(walk, older)
  addMissing(posts, below.slice(0, touched))
  return { posts, fresh, touched, isBeyond }
}

/** Goes through the posts of a page, from the newest down. @param enough Known posts in a row that show that two spans touch. */
function walked(page: PlacedPage, depths: ReadonlyMap<string, number>, enough: number, isFirst: boolean) {
  const { upper, below } = page
  const floor = parseTime(below.at(-1)?.oldest)
  const posts = new Map(timesOf(upper))
  const fresh = new Set<string>()
  /** Posts from before everything known. If others follow, they are new: the service lists them above another one. */
  const older = new Map<string, number>()
  /** Its posts have met the spans down to `deepest`, the last so many of them in a row. */
  let [touched, deepest, inARow, isBeyond] = [0, 0, 0, false]
  const meet = (depth = 0): void => {
    // Posts above a gap tell nothing of those below it.
    inARow = depth === 0 ? 0 : depth > deepest ? 1 : inARow + 1
    deepest = Math.max(deepest, depth)
  }
  for (const id of upper.ids) meet(depths.get(id))
  for (const [id, text] of page.posts) {
    const time = parseTime(text)
    if (isKnownAbove(page, id, time)) continue
    const depth = depthOf(page, depths, id, time)
    const isUnderAll = touched > 0 && touched === below.length
    if (depth === undefined && (time < floor || (isUnderAll && !(time > floor)))) {
      // Unless they are the first posts ever, their times say nothing of where they are listed.
      older.set(id, isFirst ? time : NaN)
      continue
    }
    addNew({ posts, fresh }, older)
    older.clear()
    if (depth === undefined) {
      addNew({ posts, fresh }, [[id, time]])
      meet()
      isBeyond ||= touched > 0 && time < parseTime(below[touched - 1]?.oldest)
    } else if (depth > touched) {
      posts.set(id, time)
      meet(depth)
      if (inARow >= enough) touched = deepest
      addMissing(posts, below.slice(0, touched))
    }
  }
  return { posts, fresh, older, touched, deepest, inARow, isBeyond }
}

function addNew(
  { posts, fresh }: { posts: Map<string, number>; fresh: Set<string> },
  added: Iterable<[id: string, time: number]>,
): void {
  for (const [id, time] of added) {
    posts.set(id, time)
    fresh.add(id)
  }
}

/** Adds the posts of spans that are not there yet. */
export function addMissing(posts: Map<string, number>, spans: Spans): void {
  for (const [id, time] of spans.flatMap(timesOf)) if (!posts.has(id)) posts.set(id, time)
}

/** How many of the spans each of their posts belongs to, by id. */
function depthsOf(spans: Spans): ReadonlyMap<string, number> {
  // Of several, the first counts.
  return new Map(spans.flatMap(({ ids }, index) => ids.map((id) => [id, index + 1] as const)).reverse())
}

/** Times that a span above has forgotten may be those of posts below its gap. */
function isKnownAbove({ above }: PlacedPage, id: string, time: number): boolean {
  return above.some((span) => span.ids.includes(id) || isForgotten(span, time))
}

/** Which of the spans below knows a post; 0 if that says nothing of where the page is; undefined if none knows it. */
function depthOf(
  { upper, below }: PlacedPage,
  depths: ReadonlyMap<string, number>,
  id: string,
  time: number,
): number | undefined {
  if (upper.ids.includes(id) || isForgotten(upper, time)) return 0
  const depth = depths.get(id)
  if (depth !== undefined) return depth
  const spans = below.filter((span) => isForgotten(span, time))
  // Times from below a span are those of spans that were dropped from its gap.
  const span = spans.find(({ oldest }) => time >= parseTime(oldest))
  if (span !== undefined) return below.indexOf(span) + 1
  return spans.length > 0 ? 0 : undefined
}
