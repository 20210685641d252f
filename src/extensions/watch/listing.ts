/**
 * What the posts of a page say, from the newest down. Each is placed by what is known of it; what the page proves follows from the
 * places alone; joined are the posts of all spans that it touches.
 */
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

/** Where a page is among the spans. */
export interface Position {
  readonly above: Spans
  /** The span that the page goes on with; one without posts if it begins a span of its own. */
  readonly upper: WatchSpan
  readonly below: Spans
  /** Params of the page itself. */
  readonly asked: object
}

/** How many of the spans below a post belongs to, 0 if it is known but tells nothing of where the page is; or that no span knows it. */
type Place = number | 'new' | 'older' | 'undated'

/** A post that a page lists, from the newest down. */
interface Listed {
  readonly id: string
  readonly isNew: boolean
  /** NaN if unknown, or if it says nothing of where the post is listed. */
  readonly time: number
  /** How many of the spans below the page touches down to this post. */
  readonly touched: number
}

/** What the posts of a page say. */
export interface Listing {
  /** Those that are now part of its span. */
  readonly listed: readonly Listed[]
  /** Ids of the new ones. */
  readonly fresh: ReadonlySet<string>
  /** How many of the spans below it touches. */
  readonly touched: number
  /** Whether it lists new posts below those that it touches. */
  readonly isBeyond: boolean
}

/** What the posts of a page have proven, down to one of them. */
interface Proof extends Pick<Listing, 'touched' | 'isBeyond'> {
  /** How many of the spans below it has met. */
  readonly deepest: number
  /** Known posts of one span in a row. */
  readonly inARow: number
  /** How many posts in a row are from before everything known. */
  readonly older: number
}

/** Goes through the posts of a page, from the newest down. */
export function listingOf(page: ReadPage, position: Position, overlap: number): Listing {
  const { upper, below } = position
  const depths = depthsOf(below)
  const placeOf = placing(position, depths)
  // The first posts ever are all new, whenever they were published.
  const isFirst = depths.size === 0 && upper.ids.length === 0
  const nothing = { touched: 0, isBeyond: false, deepest: 0, inARow: 0, older: 0 }
  let proof = upper.ids.reduce<Proof>((all, id) => meeting(all, depths.get(id)), nothing)
  const listed: Listed[] = []
  /** Posts from before everything known. If others follow, they are new: the service lists them above another one. */
  const older: Listed[] = []
  for (const [id, text] of page.posts) {
    const time = parseTime(text)
    const place = placeOf(id, time)
    if (place === undefined) continue
    const { touched } = proof
    const isNew = typeof place !== 'number'
    const isOlder = place === 'older' || (place === 'undated' && touched > 0 && touched === below.length)
    proof = proven(proof, isOlder ? 'older' : place, time, below, Math.min(overlap, depths.size))
    if (isOlder && !isFirst) older.push({ id, isNew, time: NaN, touched })
    else {
      listed.push(...older.splice(0))
      if (isNew || place > touched) listed.push({ id, isNew, time, touched: proof.touched })
    }
  }
  const hasNew = listed.some(({ isNew }) => isNew)
  const end = provenByEnd(proof, page, position, depths.size, overlap, hasNew)
  if (end.isOlderNew) listed.push(...older)
  const fresh = new Set(listed.flatMap(({ id, isNew }) => (isNew ? [id] : [])))
  return { listed, fresh, touched: end.touched, isBeyond: proof.isBeyond }
}

/** How many of the spans each of their posts belongs to, by id. */
function depthsOf(spans: Spans): ReadonlyMap<string, number> {
  // Of several, the first counts.
  return new Map(spans.flatMap(({ ids }, index) => ids.map((id) => [id, index + 1] as const)).reverse())
}

/** What is known of posts around a page; undefined if a span above has one. */
function placing({ above, upper, below }: Position, depths: ReadonlyMap<string, number>) {
  const idsAbove = new Set(above.flatMap(({ ids }) => ids))
  const idsOfUpper = new Set(upper.ids)
  const floor = parseTime(below.at(-1)?.oldest)
  return (id: string, time: number): Place | undefined => {
    // Times that a span has forgotten may be those of posts below its gap.
    if (idsAbove.has(id) || above.some((span) => isForgotten(span, time))) return undefined
    if (idsOfUpper.has(id) || isForgotten(upper, time)) return 0
    const depth = depths.get(id)
    if (depth !== undefined) return depth
    const spans = below.filter((span) => isForgotten(span, time))
    // Times from below a span are those of spans that were dropped from its gap.
    const span = spans.find(({ oldest }) => time >= parseTime(oldest))
    if (span !== undefined) return below.indexOf(span) + 1
    if (spans.length > 0) return 0
    return time < floor ? 'older' : time > floor ? 'new' : 'undated'
  }
}

/** What the page proves with a further post. @param enough Known posts in a row that show that two spans touch. */
function proven(proof: Proof, place: Place, time: number, below: Spans, enough: number): Proof {
  const { touched } = proof
  if (place === 'older') return { ...proof, older: proof.older + 1 }
  if (typeof place !== 'number') {
    const isBelow = touched > 0 && time < parseTime(below[touched - 1]?.oldest)
    return { ...meeting(proof, undefined), older: 0, isBeyond: proof.isBeyond || isBelow }
  }
  if (place <= touched) return { ...proof, older: 0 }
  const met = { ...meeting(proof, place), older: 0 }
  return met.inARow >= enough ? { ...met, touched: Math.max(touched, met.deepest) } : met
}

/** Posts above a gap tell nothing of those below it. */
function meeting(proof: Proof, depth = 0): Proof {
  const inARow = depth === 0 ? 0 : depth > proof.deepest ? 1 : proof.inARow + 1
  return { ...proof, inARow, deepest: Math.max(proof.deepest, depth) }
}

/** What follows from the end of a page: how many spans it touches, and whether its last posts are new, though they are older. */
function provenByEnd(
  { touched, deepest, inARow, older }: Proof,
  page: ReadPage,
  { upper, below }: Position,
  known: number,
  overlap: number,
  hasNew: boolean,
): { touched: number; isOlderNew: boolean } {
  // If no post is known below, the list may end with the page; an empty page proves nothing.
  const atEnd = known === 0 && page.posts.size > 0 ? below.length : deepest
  const all = page.isEnd ? Math.max(touched, atEnd) : touched
  if (all > 0) return { touched: all, isOlderNew: false }
  if (older >= overlap || (older > 0 && older === page.posts.size))
    return { touched: below.length, isOlderNew: false }
  // With fewer known posts than the overlap, a first page without new posts is enough.
  const isQuiet = upper.ids.length === 0 && !hasNew && known < overlap
  if (isQuiet && inARow > 0) return { touched: deepest, isOlderNew: false }
  // Known posts may follow on the next page.
  return { touched: 0, isOlderNew: inARow === 0 && known > 0 && !page.isEnd }
}

/** The posts of the span, of the page, and of the spans below that it touches, newest first, with their times. */
export function joined(
  { listed, touched }: Listing,
  { upper, below }: Position,
): ReadonlyMap<string, number> {
  const posts = new Map(timesOf(upper))
  let joins = 0
  const join = (count: number): void => {
    for (const span of below.slice(joins, count))
      for (const [id, time] of timesOf(span)) if (!posts.has(id)) posts.set(id, time)
    joins = Math.max(joins, count)
  }
  for (const post of listed) {
    posts.set(post.id, post.time)
    join(post.touched)
  }
  join(touched)
  return posts
}
