/** What is known of spans, the parts of a list that a watch has read, and of the gaps below them. `read.ts` says how they come about. */
import { parseTime } from '../../lib/time.ts'
import type { WatchGap, WatchSpan } from './types.ts'

/** A gap is asked for again no later than after this time, in milliseconds: nightly runs ask each night. */
const longestPause = 16 * 3_600_000

/** Newest first. There is a gap below each but the last one. */
export type Spans = readonly WatchSpan[]

/** The span above the first gap to ask for, from a span on. After a silence, a watch waits longer and longer. */
export function nextGap(spans: Spans, now: number, from = 0): number | undefined {
  const gap = spans.findIndex((span, index) => {
    const [since, at] = span.silence ?? [0, 0]
    // The clock may have been set back.
    const isWaiting = now >= at && now - at < Math.min(at - since, longestPause)
    return index >= from && isReadable(span, index) && !isWaiting
  })
  return gap === -1 ? undefined : gap
}

/** Whether another check would fill a gap. */
export function hasGapToFill(spans: Spans): boolean {
  return spans.some(
    (span, index) =>
      span.silence === undefined && (isReadable(span, index) || (index === 0 && span.next !== null)),
  )
}

/** Whether a gap can be asked for. New posts shift numbered pages, so only the first gap knows its number. */
function isReadable({ next }: WatchSpan, index: number): boolean {
  return next !== null && !isNewestPage(next) && (index === 0 || numberOf(next) === undefined)
}

/** What is missing between spans, newest first. */
export function gapsOf(spans: Spans): WatchGap[] {
  return spans.flatMap(({ next, oldest }, index) =>
    next === null ? [] : [{ from: spans[index + 1]?.newest ?? null, to: oldest ?? null }],
  )
}

/** The service has lost where the gap below a span begins. No two gaps are searched from one page: it is above the lower one. */
export function withNextAbove(
  spans: Spans,
  at: number,
  { search, fallback }: { readonly search: object; readonly fallback: object },
): Spans {
  const isTaken = spans.some(({ next }) => next !== null && isSamePage(next, fallback))
  const next = isTaken ? search : fallback
  return spans.map((span, index) => (index === at ? { ...span, next, isNextAbove: true } : span))
}

/** Whether params ask for the same page below the newest one. */
export function isSamePage(one: object, other: object): boolean {
  const [a, b] = [one, other] as [{ cursor?: unknown; page?: unknown }, { cursor?: unknown; page?: unknown }]
  return !isNewestPage(one) && a.cursor === b.cursor && a.page === b.page
}

/** Whether params ask for the newest page: they name no other. */
export function isNewestPage(params: object): boolean {
  const { cursor, page } = params as { cursor?: unknown; page?: unknown }
  return cursor === undefined && page === undefined
}

export function numberOf(params: object): number | undefined {
  const { page } = params as { page?: unknown }
  return typeof page === 'number' ? page : undefined
}

export function isKnown({ ids, oldest }: WatchSpan): boolean {
  return ids.length > 0 || oldest !== undefined
}

export function isForgotten({ forgotten = [] }: WatchSpan, time: number): boolean {
  return forgotten.some(([newest, oldest]) => time <= newest && time >= oldest)
}

/** The ids of a span with their times; NaN for those that are unknown. */
export function timesOf({ ids, times = [] }: WatchSpan): [id: string, time: number][] {
  return ids.map((id, index) => [id, times[index] ?? NaN])
}

/** The earlier of two times; a late post may be listed in between. */
export function earlier(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return parseTime(other) < parseTime(one) ? other : one
}

/** The later of two times. */
export function later(one: string | undefined, other: string | undefined): string | undefined {
  return one !== undefined && other !== undefined && parseTime(other) > parseTime(one)
    ? other
    : (one ?? other)
}

/** Which of the spans each of their posts belongs to, by id: 1 for the first. */
export function depthsOf(spans: Spans): ReadonlyMap<string, number> {
  // Of several, the first counts.
  return new Map(spans.flatMap(({ ids }, index) => ids.map((id) => [id, index + 1] as const)).reverse())
}

/** Adds the posts of spans that are not there yet. */
export function addMissing(posts: Map<string, number>, spans: Spans): void {
  for (const [id, time] of spans.flatMap(timesOf)) if (!posts.has(id)) posts.set(id, time)
}
