/**
 * What a watch has read of a search, and what a page adds to it. The service lists posts newest first.
 *
 * A span is a part of that list that was read without a gap. Spans are listed newest first. Below each of them but the last, posts
 * are missing: `next` is where the service lists them. Posts above the first span are not missing yet, since each check begins
 * with the newest page.
 *
 * A page is placed by what it shows. What was asked for is only a claim, since the service may forget a cursor, and new posts
 * shift numbered pages. `read()` takes four steps:
 *
 * 1. **Where is it?** A page that was asked for below a span goes on with it. If it begins above that span, the place below the
 *    span is lost. Such a page begins a span of its own, like the newest page: above the first span that knows one of its posts, or
 *    that ends below one of them. Whoever reads down from the newest post finds a lost place again, below the span.
 * 2. **What is new?** Posts that no span knows, down to `overlap` posts in a row that a span below knows. There, both touch and
 *    become one. One known post is not enough: the service may list a post late, below newer ones. Posts from before everything
 *    known are not wanted, and prove that nothing is missing in between.
 * 3. **What does silence prove?** If no post is listed where known ones should follow, the gap stays, and is asked for again, less
 *    and less often. It closes after 20 hours in which it was asked for four times, or twice if the list ends with its posts. To ask
 *    above known posts, since the place below them is lost, tells less of the gap, and counts a quarter.
 * 4. **What may be forgotten?** Of many ids the newest and the oldest are kept, and of many spans their times. A post of a time that
 *    was forgotten is known.
 */
import { parseTime } from '../../lib/time.ts'
import {
  type Spans,
  earlier,
  hasPlace,
  isForgotten,
  isKnown,
  isSamePlace,
  later,
  numberOf,
  timesOf,
  withoutPlace,
} from './spans.ts'
import type { WatchSpan } from './types.ts'

/** With more spans than this, the gaps above the oldest known posts become one, so that the state stays small. */
const mostSpans = 20
/** Times that a span has forgotten, apart from its own. */
const mostForgotten = 500
/** A gap does not close sooner, in milliseconds: less than a day, for nightly runs. */
const longestSilence = 20 * 3_600_000

type Silence = NonNullable<WatchSpan['silence']>
/** Times of posts, newest first, in milliseconds since 1970. */
type Range = readonly [newest: number, oldest: number]

/** A page as a watch needs it. */
export interface ReadPage {
  /** When each of its posts was published, by id, newest first. */
  readonly posts: ReadonlyMap<string, string | undefined>
  /** Params of this page. */
  readonly asked: object
  /** Params of the next page; null if the service does not say. */
  readonly next: object | null
  /** Whether the service says that there are more. */
  readonly hasMore: boolean
}

export interface ReadTerms {
  /** Params of the page with the newest posts. */
  readonly search: object
  /** Where the posts below a span may be found if its own place is lost; `search` if only from the newest post down. */
  readonly rest: object
  /** How many known posts in a row show that two spans touch. */
  readonly overlap: number
  /** Most ids of a span. */
  readonly mostIds: number
  /** In milliseconds since 1970. */
  readonly now: number
}

/** What has been read with a page, and what it has brought. */
export interface Reading {
  readonly spans: Spans
  /** The span that the page now belongs to; -1 if it tells nothing. */
  readonly at: number
  /** Ids of the new posts. */
  readonly fresh: ReadonlySet<string>
  /** Whether nothing is missing between the page and the posts that were known below it. */
  readonly isJoined: boolean
  /** Whether no post is listed where known ones should follow. */
  readonly isSilent: boolean
}

/** Adds a page to what has been read. */
export function read(spans: Spans, page: ReadPage, terms: ReadTerms): Reading {
  const place = placeOf(spans, page, terms)
  if (place === null) return { spans, at: -1, fresh: new Set(), isJoined: true, isSilent: true }
  const listing = new Listing(place, terms.overlap)
  for (const [id, text] of page.posts) listing.list(id, parseTime(text))
  listing.end(page)
  const silence = silenceAfter(listing, page, terms.now)
  const { above, below } = place
  const gap = listing.isPast ? undefined : below[listing.reached - 1]
  const span = trimmed(spanOf(listing, page, silence ?? gap?.silence), terms.mostIds)
  return {
    spans: fewer([...above, span, ...below.slice(listing.reached)].filter(isKnown)),
    at: above.length,
    fresh: listing.fresh,
    isJoined: listing.reached > 0 || (below.length === 0 && isEnd(page)),
    isSilent: silence !== undefined,
  }
}

function isEnd({ next, hasMore }: ReadPage): boolean {
  return next === null && !hasMore
}

// Step 1: where a page is.

interface Place {
  readonly above: Spans
  /** The span that the page goes on with. */
  readonly reading: WatchSpan
  readonly below: Spans
  /** Where the page itself is listed. */
  readonly here: object
}

/** Null if the page tells nothing: the service lists no posts, perhaps by mistake, or only some from before everything known. */
function placeOf(spans: Spans, { asked, posts }: ReadPage, { search, rest }: ReadTerms): Place | null {
  const claimed = spans.findIndex(({ next }) => next !== null && isSamePlace(next, asked))
  const span = spans[claimed]
  if (span !== undefined && !isAbove(posts, span))
    return { above: spans.slice(0, claimed), reading: span, below: spans.slice(claimed + 1), here: asked }
  const known = withoutPlace(spans, claimed, rest)
  const under = known.findIndex((each) => !isBelow(posts, each))
  if (posts.size === 0 || (under === -1 && spans.length > 0)) return null
  const at = Math.max(0, under)
  return { above: known.slice(0, at), reading: { ids: [], next: null }, below: known.slice(at), here: search }
}

/** Whether a page begins with a newer post than the span has, one that it does not know. */
function isAbove(posts: ReadPage['posts'], span: WatchSpan): boolean {
  const [[id, time] = ['']] = posts
  return !span.ids.includes(id) && parseTime(time) > parseTime(span.newest)
}

/** Whether all posts of a page are older than those of a span: some cache has kept it, or the gap below the span begins with it. */
function isBelow(posts: ReadPage['posts'], span: WatchSpan): boolean {
  const end = parseTime(span.oldest)
  const isOlder = ([id, time]: [string, string | undefined]): boolean =>
    parseTime(time) < end && !span.ids.includes(id)
  return span.ids.length > 0 && [...posts].every(isOlder)
}

// Step 2: what is new.

/** Goes through the posts of a page, from the newest down. */
class Listing {
  readonly reading: WatchSpan
  readonly below: Spans
  /** Where the page itself is listed. */
  readonly here: object
  /** Posts of the span, of the page and of the spans below that it touches, newest first, with their times. */
  readonly posts: Map<string, number>
  /** Ids of the new ones. */
  readonly fresh = new Set<string>()
  /** How many of the spans below it touches. */
  reached = 0
  /** Whether it lists new posts below those that it touches. */
  isPast = false
  /** How many of the spans below it has met. */
  #deepest = 0
  /** Known posts of one span in a row. */
  #inARow = 0
  /** How many posts in a row are from before everything known. */
  #older = 0
  /** Their ids. They are new if others follow. */
  #old: string[] = []
  /** Whether they are the first posts ever: all new, whenever they were published. */
  readonly #isFirst: boolean
  readonly #overlap: number
  readonly #above: Spans
  readonly #idsAbove: ReadonlySet<string>
  /** How many of the spans below a post belongs to. */
  readonly #depths = new Map<string, number>()
  /** Nothing from before this time is wanted. */
  readonly #floor: number

  constructor({ above, reading, below, here }: Place, overlap: number) {
    this.reading = reading
    this.below = below
    this.here = here
    this.posts = new Map(timesOf(reading))
    this.#above = above
    this.#idsAbove = new Set(above.flatMap(({ ids }) => ids))
    below.forEach(({ ids }, index) => {
      for (const id of ids) if (!this.#depths.has(id)) this.#depths.set(id, index + 1)
    })
    this.#overlap = overlap
    this.#isFirst = this.#depths.size === 0 && reading.ids.length === 0
    this.#floor = parseTime(below.at(-1)?.oldest)
    for (const id of reading.ids) this.#count(this.#depths.get(id))
  }

  list(id: string, time: number): void {
    // Times that a span has forgotten may be those of posts below its gap.
    if (this.#idsAbove.has(id) || this.#above.some((span) => isForgotten(span, time))) return
    const isSeen = this.posts.has(id) || isForgotten(this.reading, time)
    const depth = isSeen ? 0 : this.#depthOf(id, time)
    const isOld = depth === undefined && this.#isOld(time)
    this.#older = isOld ? this.#older + 1 : 0
    if (isOld && !this.#isFirst) {
      this.#old.push(id)
      return
    }
    // The service lists them above another one, so they are new, whatever their times.
    for (const old of this.#old.splice(0)) this.#add(old, NaN)
    if (depth === undefined) {
      this.#add(id, time)
      this.#count(undefined)
      if (this.reached > 0) this.isPast ||= time < parseTime(this.below[this.reached - 1]?.oldest)
    } else if (depth > this.reached) {
      this.posts.set(id, time)
      this.#count(depth)
      if (this.#inARow >= Math.min(this.#overlap, this.#depths.size)) this.touch(this.#deepest)
    }
  }

  /** Draws what follows from the end of the page. */
  end(page: ReadPage): void {
    // If no post is known below, the list may end with the page; an empty page proves nothing.
    const isAll = this.#depths.size === 0 && page.posts.size > 0
    if (isEnd(page)) this.touch(isAll ? this.below.length : this.#deepest)
    if (this.reached > 0) return
    const isOld = this.#older >= this.#overlap || (this.#older > 0 && this.#older === page.posts.size)
    // With fewer known posts than the overlap, a first page without new posts is enough.
    const isQuiet =
      this.reading.ids.length === 0 && this.fresh.size === 0 && this.#depths.size < this.#overlap
    if (isOld) this.touch(this.below.length)
    else if (isQuiet && this.#inARow > 0) this.touch(this.#deepest)
    // Known posts may follow on the next page.
    else if (this.#inARow === 0 && this.#depths.size > 0 && !isEnd(page))
      for (const old of this.#old) this.#add(old, NaN)
  }

  /** Makes one of the span and so many of those below. */
  touch(count: number): void {
    for (const span of this.below.slice(this.reached, count))
      for (const [id, time] of timesOf(span)) if (!this.posts.has(id)) this.posts.set(id, time)
    this.reached = Math.max(this.reached, count)
  }

  #add(id: string, time: number): void {
    this.posts.set(id, time)
    this.fresh.add(id)
  }

  /** Posts above a gap tell nothing of those below it. */
  #count(depth: number | undefined): void {
    if (depth === undefined) this.#inARow = 0
    else this.#inARow = depth > this.#deepest ? 1 : this.#inARow + 1
    this.#deepest = Math.max(this.#deepest, depth ?? 0)
  }

  /** Undefined if no span knows the post, 0 if it is known but tells nothing of where the page is. */
  #depthOf(id: string, time: number): number | undefined {
    const listed = this.#depths.get(id)
    if (listed !== undefined) return listed
    const spans = this.below.filter((span) => isForgotten(span, time))
    // Times from below a span are those of spans that were dropped from its gap.
    const span = spans.find(({ oldest }) => time >= parseTime(oldest))
    if (span !== undefined) return this.below.indexOf(span) + 1
    return spans.length > 0 ? 0 : undefined
  }

  /** Whether a post is from before everything known, or, below the last span, may be. */
  #isOld(time: number): boolean {
    const isLast = this.reached > 0 && this.reached === this.below.length
    return time < this.#floor || (isLast && !(time > this.#floor))
  }
}

/** The span of a page, as one with those that it touches. */
function spanOf(listing: Listing, page: ReadPage, silence: Silence | undefined): WatchSpan {
  const { reading, below, posts, fresh, reached } = listing
  const parts = [reading, ...below.slice(0, reached)]
  const listed = [...page.posts].filter(([id]) => Number.isFinite(posts.get(id)))
  const shown = listed.map(([, time]) => time)
  const added = listed.filter(([id]) => fresh.has(id)).map(([, time]) => time)
  // A span without posts is a time alone, down to which posts are wanted.
  const known = parts.filter(({ ids }) => ids.length > 0)
  const newest = [...known.map((span) => span.newest), ...shown].reduce(later, undefined)
  const oldest = [...parts.map((span) => span.oldest), ...added].reduce(earlier, undefined) ?? shown[0]
  const forgotten = parts.flatMap((span) => span.forgotten ?? [])
  const next = placeBelow(listing, page)
  const isKnownBelow =
    next === page.next && page.posts.size > 0
      ? lastOf(page.posts) !== lastOf(posts)
      : parts.at(-1)?.nextIsKnown === true
  return {
    ids: [...posts.keys()],
    times: [...posts.values()].map((time) => (Number.isFinite(time) ? time : null)),
    next,
    ...(next !== null && isKnownBelow && { nextIsKnown: true }),
    ...(newest !== undefined && { newest }),
    ...(oldest !== undefined && { oldest }),
    ...(silence !== undefined && { silence }),
    ...(forgotten.length > 0 && { forgotten }),
  }
}

function lastOf(posts: ReadonlyMap<string, unknown>): string | undefined {
  return [...posts.keys()].at(-1)
}

/** Where the posts below a page, and below all that it touches, are listed; null if there are none, or none are wanted. */
function placeBelow({ below, here, reached, isPast }: Listing, page: ReadPage): object | null {
  // A page that says that there are more, but not where, is asked for again.
  if (reached === 0) return page.next ?? (below.length === 0 && isEnd(page) ? null : here)
  const stored = below[reached - 1]?.next ?? null
  if (stored === null || page.next === null) return stored
  // A place that was lost is below the page that meets the span.
  if (isPast || !hasPlace(stored)) return page.next
  const [from, to] = [numberOf(stored), numberOf(page.next)]
  // New posts shift numbered pages, so the later one is nearer.
  return from === undefined || to === undefined ? stored : { ...stored, page: Math.max(from, to) }
}

// Step 3: what silence proves.

/** The silence of a gap where a page lists nothing; undefined if the page lists something, or if the gap closes. */
function silenceAfter(listing: Listing, page: ReadPage, now: number): Silence | undefined {
  const { reading, below, reached, fresh, posts } = listing
  if (reached === below.length || (page.posts.size > 0 && !isEnd(page))) return undefined
  const gap = reached === 0 ? reading : below[reached - 1]
  // Such a gap is asked for at its own place.
  if (reached > 0 && gap?.next && hasPlace(gap.next)) return undefined
  const before = fresh.size > 0 && reached === 0 ? undefined : gap?.silence
  const [first, last, asked = 1] = before ?? [now, NaN, 0]
  // The clock may have been set back.
  const since = Math.min(first, now)
  // One check asks once, however often.
  const times = last === now ? asked : asked + (isOwnPlace(gap) ? 1 : 1 / 4)
  const endsThere = reached > 0 && lastOf(page.posts) === lastOf(posts)
  if (now - since < longestSilence || times < (endsThere ? 2 : 4)) return [since, now, times]
  listing.touch(reached + 1)
  return undefined
}

/** Whether posts of the gap itself follow at its place. */
const isOwnPlace = (gap: WatchSpan | undefined): boolean => gap?.nextIsKnown !== true

// Step 4: what may be forgotten.

/** Keeps the newest ids and, above a gap, the oldest. */
function trimmed(span: WatchSpan, most: number): WatchSpan {
  const { ids, times = [], next, oldest, forgotten = [] } = span
  if (ids.length <= most) return span
  const [start, end] = next === null ? [most, ids.length] : [most / 2, ids.length - most / 2]
  const keep = <T>(all: readonly T[]): T[] => [...all.slice(0, start), ...all.slice(end)]
  const isInside = ([newest]: Range): boolean => newest > parseTime(oldest)
  const dropped = times.slice(start, end).flatMap((time) => (time === null ? [] : [[time, time] as const]))
  const whole = [...dropped, ...forgotten.filter(isInside)].reduce<Range>(
    ([newest, oldest], range) => [Math.max(newest, range[0]), Math.min(oldest, range[1])],
    [-Infinity, Infinity],
  )
  const outside = forgotten.filter((range) => !isInside(range))
  const all = whole[0] >= whole[1] ? [whole, ...outside] : outside
  return { ...span, ids: keep(ids), times: keep(times), ...(all.length > 0 && { forgotten: all }) }
}

/** Makes one gap of the last two. Whoever reads it knows the times of what is forgotten in between. */
function fewer(spans: Spans): Spans {
  const [upper, middle, last] = spans.slice(-3)
  if (spans.length <= mostSpans || !upper || !middle || !last) return spans
  const range: Range = [parseTime(middle.newest), parseTime(middle.oldest)]
  const all = [
    ...(upper.forgotten ?? []),
    ...(range[0] >= range[1] ? [range] : []),
    ...(middle.forgotten ?? []),
  ]
  return [...spans.slice(0, -3), { ...upper, forgotten: all.slice(0, mostForgotten) }, last]
}
