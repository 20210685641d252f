/**
 * What a watch has read of a search, and what a page adds to it. The service lists posts newest first.
 *
 * A span is a part of that list that was read without a gap. Below each span but the last there is a gap, a part that is missing: `next`
 * of the span asks for the page where its gap begins. Posts above the first span are not missing yet, since each check begins with
 * the newest page.
 *
 * A page is placed by what it shows. What was asked for is only a claim, since the service may lose a cursor, and new posts
 * shift numbered pages. `read()` takes four steps:
 *
 * 1. **Where is it?** A page that was asked for as `next` of a span goes on with it. If it begins above that span, the service has
 *    lost where the gap begins. Such a page begins a span of its own, like the newest page: above the first span that knows one
 *    of its posts, or that ends below one of them. Whoever reads down from there meets the span again, and the gap below it.
 * 2. **What is new?** Posts that no span knows, down to `overlap` posts in a row that a span below knows. There, both touch and
 *    become one. One known post is not enough: the service may list a post late, below newer ones. Posts from before everything
 *    known are not wanted, and prove that nothing is missing in between. So do the end of the list, and a first page without new
 *    posts while few are known (`touchedBy()`). A shifted page shows posts of its span again, so of two
 *    numbers of one gap the later is nearer.
 * 3. **What does silence prove?** If no post is listed where known ones should follow, the gap stays, and is asked for again, less
 *    and less often. It closes after 20 hours in which it was asked for four times, or twice if the list ends with its posts. To ask
 *    above the gap, since the service has lost where it begins, tells less of it, and counts a quarter.
 * 4. **What may be forgotten?** Of many ids the newest and the oldest are kept, and of many spans their times. A post of a time that
 *    was forgotten is known.
 */
import { parseTime } from '../../lib/time.ts'
import {
  type Spans,
  addMissing,
  depthsOf,
  earlier,
  isForgotten,
  isKnown,
  isNewestPage,
  isSamePage,
  later,
  numberOf,
  timesOf,
  withNextAbove,
} from './spans.ts'
import type { WatchSpan } from './types.ts'

/** With more spans than this, the gaps above the oldest known posts become one, so that the state stays small. */
const mostSpans = 20
/** Times that a span has forgotten, apart from its own. */
const mostForgotten = 500
/** A silence that closes a gap lasts so long, in milliseconds: less than a day, for nightly runs. */
const longestSilence = 20 * 3_600_000
/** How often a gap is asked for in it, and how often if the list ends with the posts above the gap. */
const [enough, enoughAtEnd] = [4, 2]

type Silence = NonNullable<WatchSpan['silence']>
/** Times of posts, newest first, in milliseconds since 1970. */
type Range = readonly [newest: number, oldest: number]

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
interface PlacedPage extends ReadPage {
  readonly above: Spans
  /** The span that the page goes on with; one without posts if it begins a span of its own. */
  readonly upper: WatchSpan
  readonly below: Spans
}

/** What the posts of a page say. */
interface Listing {
  /** Posts of its span, and of the spans below that it touches, newest first, with their times: NaN if unknown. */
  readonly posts: ReadonlyMap<string, number>
  /** Ids of the new ones. */
  readonly fresh: ReadonlySet<string>
  /** How many of the spans below it touches. */
  readonly touched: number
  /** Whether it lists new posts below those that it touches. */
  readonly isBeyond: boolean
}

export interface ReadTerms {
  /** Params of the newest page. */
  readonly search: object
  /** Params of a page above a gap, from which it is searched if the service has lost where it begins. */
  readonly fallback: object
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
  /** The span that the page now belongs to; undefined if it tells nothing. */
  readonly at: number | undefined
  /** Ids of the new posts. */
  readonly fresh: ReadonlySet<string>
  /** Whether nothing is missing between the page and the posts that were known below it. */
  readonly isJoined: boolean
  /** Whether no post is listed where known ones should follow. */
  readonly isSilent: boolean
}

/** Adds a page to what has been read. */
export function read(spans: Spans, given: ReadPage, terms: ReadTerms): Reading {
  // A page that names itself as the one below does not say where that is.
  const page = given.next && isSamePage(given.next, given.asked) ? { ...given, next: null } : given
  const placed = placeOf(spans, page, terms)
  if (placed === null) return { spans, at: undefined, fresh: new Set(), isJoined: true, isSilent: true }
  const { above, below } = placed
  const listing = listingOf(placed, terms.overlap)
  const silence = silenceOf(listing, placed, terms.now)
  const isProof = silence !== undefined && provesAll(silence, listing, placed)
  const proven = isProof ? joined(listing, below) : listing
  const { fresh, touched, isBeyond } = proven
  const known = isBeyond ? undefined : below[touched - 1]?.silence
  const span = spanOf(proven, placed, isProof ? known : (silence ?? known))
  return {
    spans: fewer([...above, trimmed(span, terms.mostIds), ...below.slice(touched)].filter(isKnown)),
    at: above.length,
    fresh,
    isJoined: touched > 0 || (below.length === 0 && page.isEnd),
    isSilent: silence !== undefined && !isProof,
  }
}

// Step 1: where a page is.

/** Null if the page tells nothing: the service lists no posts, perhaps by mistake, or only some from before everything known. */
function placeOf(spans: Spans, page: ReadPage, terms: ReadTerms): PlacedPage | null {
  const { asked, posts } = page
  const claimed = spans.findIndex(({ next }) => next !== null && isSamePage(next, asked))
  const upper = spans[claimed]
  if (upper !== undefined && !isAbove(posts, upper))
    return { ...page, above: spans.slice(0, claimed), upper, below: spans.slice(claimed + 1) }
  const known = withNextAbove(spans, claimed, terms)
  const under = known.findIndex((each) => !isBelow(posts, each))
  if (posts.size === 0 || (under === -1 && spans.length > 0)) return null
  const at = Math.max(0, under)
  const place = { above: known.slice(0, at), upper: { ids: [], next: null }, below: known.slice(at) }
  return { ...page, ...place, asked: terms.search }
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

/**
 * What the posts of a page say, and its end. Three newest pages, where posts 6 to 1 are known and `overlap` is 3:
 *
 * - `8 7 6 5 4` touches them: 8 and 7 are new, and after three known posts in a row nothing is missing. One span is left, 8 to 1.
 * - `12 11 10 9` is cut off before a known post. All four are new and begin a span, with a gap between 9 and 6. The page that its
 *   `next` asks for goes on with that span: if it is `8 7 6 5 4`, one span is left, 12 to 1.
 * - `7 6 5 4 3 2 1` has a late post if 4 was not known: 7 and 4 are new. Had it stopped at 6, it would have lost 4. Since a new
 *   post ends the row of 6 and 5, the page touches the known posts only with 3, 2, and 1.
 */
function listingOf(page: PlacedPage, overlap: number): Listing {
  const { upper, below } = page
  const depths = depthsOf(below)
  // The first posts ever are all new, whenever they were published.
  const isFirst = depths.size === 0 && upper.ids.length === 0
  const walk = walked(page, depths, Math.min(overlap, depths.size), isFirst)
  const { posts, fresh, older, inARow, isBeyond } = walk
  const touched = touchedBy(page, walk, depths.size, overlap)
  // Known posts may follow on the next page.
  const isCut = touched === 0 && inARow === 0 && depths.size > 0 && !page.isEnd
  if (isFirst || isCut) addNew(walk, older)
  addMissing(posts, below.slice(0, touched))
  return { posts, fresh, touched, isBeyond }
}

/** How many of the spans below a page touches. @param known How many posts these have. */
function touchedBy(
  { posts, upper, below, isEnd }: PlacedPage,
  { touched, fresh, older, deepest, inARow }: ReturnType<typeof walked>,
  known: number,
  overlap: number,
): number {
  const isEmpty = posts.size === 0
  // The list ends: with the page, if no post is known below. An empty page proves nothing.
  if (isEnd && known === 0 && !isEmpty) return below.length
  if (isEnd && deepest > 0) return deepest
  // Enough known posts in a row.
  if (!isEnd && touched > 0) return touched
  // All that is left is older: whatever is missing was published before everything known.
  if (older.size >= overlap || (!isEmpty && older.size === posts.size)) return below.length
  // A quiet first page: with fewer known posts than the overlap, one without new posts is enough.
  const isQuiet = upper.ids.length === 0 && fresh.size === 0 && known < overlap
  return isQuiet && inARow > 0 ? deepest : 0
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

/** The span of a page, as one with those that it touches. */
function spanOf(listing: Listing, page: PlacedPage, silence: Silence | undefined): WatchSpan {
  const { posts, fresh, touched } = listing
  const parts = [page.upper, ...page.below.slice(0, touched)]
  const listed = [...page.posts].filter(([id]) => Number.isFinite(posts.get(id)))
  const shown = listed.map(([, time]) => time)
  const added = listed.filter(([id]) => fresh.has(id)).map(([, time]) => time)
  // A span without posts is a time alone, down to which posts are wanted.
  const known = parts.filter(({ ids }) => ids.length > 0)
  const newest = [...known.map((span) => span.newest), ...shown].reduce(later, undefined)
  const oldest = [...parts.map((span) => span.oldest), ...added].reduce(earlier, undefined) ?? shown[0]
  const forgotten = parts.flatMap((span) => span.forgotten ?? [])
  const next = nextOf(listing, page)
  const isNextAbove =
    next === page.next && page.posts.size > 0
      ? lastOf(page.posts) !== lastOf(posts)
      : parts.at(-1)?.isNextAbove === true
  return {
    ids: [...posts.keys()],
    times: [...posts.values()].map((time) => (Number.isFinite(time) ? time : null)),
    next,
    ...(next !== null && isNextAbove && { isNextAbove }),
    ...(newest !== undefined && { newest }),
    ...(oldest !== undefined && { oldest }),
    ...(silence !== undefined && { silence }),
    ...(forgotten.length > 0 && { forgotten }),
  }
}

function lastOf(posts: ReadonlyMap<string, unknown>): string | undefined {
  return [...posts.keys()].at(-1)
}

/** Params of the page below a page, and below all that it touches; null if there is none, or none is wanted. */
function nextOf({ touched, isBeyond }: Listing, { below, asked, ...page }: PlacedPage): object | null {
  // A page that says that there are more, but not where, is asked for again.
  if (touched === 0) return page.next ?? (below.length === 0 && page.isEnd ? null : asked)
  const stored = below[touched - 1]?.next ?? null
  if (stored === null || page.next === null) return stored
  // A gap whose beginning was lost is below the page that meets its span.
  if (isBeyond || isNewestPage(stored)) return page.next
  const [from, to] = [numberOf(stored), numberOf(page.next)]
  // New posts shift numbered pages, so the later one is nearer.
  return from === undefined || to === undefined ? stored : { ...stored, page: Math.max(from, to) }
}

// Step 3: what silence proves.

/** The silence of a gap, and that of this page with it; undefined if the page lists something, or tells nothing of the gap. */
function silenceOf(
  { touched, fresh }: Listing,
  { upper, below, ...page }: PlacedPage,
  now: number,
): Silence | undefined {
  if (touched === below.length || (page.posts.size > 0 && !page.isEnd)) return undefined
  const span = touched === 0 ? upper : below[touched - 1]
  // The gap of a span that the page has met is asked for by the `next` of that span.
  if (touched > 0 && span?.next && !isNewestPage(span.next)) return undefined
  const before = fresh.size > 0 && touched === 0 ? undefined : span?.silence
  const [first, last, asked = 1] = before ?? [now, NaN, 0]
  // One check asks once, however many pages it reads.
  const count = last === now ? asked : asked + (span?.isNextAbove === true ? 1 / 4 : 1)
  // The clock may have been set back.
  return [Math.min(first, now), now, count]
}

/** Whether a silence proves that nothing is missing in a gap. */
function provesAll(
  [first, last, asked = 1]: Silence,
  { posts, touched }: Listing,
  page: PlacedPage,
): boolean {
  const endsAbove = touched > 0 && lastOf(page.posts) === lastOf(posts)
  return last - first >= longestSilence && asked >= (endsAbove ? enoughAtEnd : enough)
}

/** A page touches one more span, since nothing is missing above it. */
function joined({ posts, touched, ...listing }: Listing, below: Spans): Listing {
  const all = new Map(posts)
  addMissing(all, below.slice(touched, touched + 1))
  return { ...listing, posts: all, touched: touched + 1 }
}

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
