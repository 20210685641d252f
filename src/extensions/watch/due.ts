import { microblogPageSize } from '../../api/endpoints/microblog.ts'
import type { BudgetOutlook } from '../../index.ts'

const hour = 3_600_000

/** Posts that came in some time, in milliseconds; what is long ago counts less and less. */
export type PostCount = readonly [posts: number, ms: number]

/** How often posts of a search come, as plain JSON. */
export interface WatchPace {
  /** When the search was last checked, in milliseconds since 1970. */
  readonly at: number
  /** Of the last hours. */
  readonly fast: PostCount
  /** Of the last days. */
  readonly slow: PostCount
}

export const memory = { fast: 3 * hour, slow: 24 * hour }

/**
 * The pace after a check.
 *
 * @param found How many new posts it has found.
 * @param times When the posts of the first page ever were published.
 */
export function paceAfter(
  before: WatchPace | null,
  now: number,
  found: number,
  times: readonly number[],
): WatchPace {
  if (before === null)
    return { at: now, fast: countOf(times, now, memory.fast), slow: countOf(times, now, memory.slow) }
  // The clock may have been set back.
  const ms = Math.max(0, now - before.at)
  const next = ([posts, since]: PostCount, length: number): PostCount => {
    const kept = Math.exp(-ms / length)
    return [posts * kept + found, since * kept + ms]
  }
  return { at: now, fast: next(before.fast, memory.fast), slow: next(before.slow, memory.slow) }
}

function countOf(times: readonly number[], now: number, length: number): PostCount {
  if (times.length < 2) return [0, 0]
  const ms = Math.max(60_000, now - Math.min(...times))
  const share = Math.min(1, length / ms)
  return [(times.length - 1) * share, ms * share]
}

/** A search, and what its last check has left. */
export interface DueSearch {
  /** Null before the first check. */
  readonly pace: WatchPace | null
  /** Credits of a page. */
  readonly price: number
  /** Whether another check would fill a gap. */
  readonly hasGapToFill: boolean
  /** When the last check has failed that may have been charged, if no page has come since: it counts as a check. */
  readonly failedAt?: number | undefined
  /** Not before this time: the last check has failed. */
  readonly retryAt: number
}

/** No search waits longer, as far as the budget goes. */
const longestMs = 24 * hour
/** The share of the money that checks get even if new posts need all of it for their pages. */
const minShare = 0.1
/** A schedule that starts runs each hour starts some of them a little early. */
const early = 0.1

/** Of a search whose first check has failed, or is still to come. */
export const unknownPace: WatchPace = { at: -Infinity, fast: [0, 0], slow: [0, 0] }

/** How long a search waits after an error, in milliseconds. */
export const retryMs = (minInterval: number): number => Math.max(60_000, minInterval)

/**
 * When each search is due for a check, in milliseconds since 1970; Infinity if there is no money for a page.
 *
 * @param budget What it has left. Without a period, nothing tells how long that must last.
 */
export function dueTimes(
  given: readonly DueSearch[],
  { limit, remaining, endsAt }: BudgetOutlook,
  now: number,
  { minInterval, once }: { readonly minInterval: number; readonly once: boolean },
): number[] {
  // The clock may have been set back: a time that only a later clock can have made tells nothing.
  const searches = given.map(({ price, hasGapToFill, retryAt, failedAt = Infinity, pace }) => {
    const hasFailed = failedAt <= now
    return {
      ...{ price, hasGapToFill, retryAt, failedAt: hasFailed ? failedAt : -Infinity },
      pace: pace ?? (hasFailed ? unknownPace : null),
    }
  })
  const rate = endsAt === null ? Infinity : remaining / Math.max(1, endsAt - now)
  const waits = waitsOf(searches, rate, minInterval)
  return searches.map(({ pace, price, hasGapToFill, failedAt, retryAt }, index) => {
    if (endsAt !== null && remaining < price && price <= limit) return Infinity
    const wait = waits[index] ?? 0
    // Filling gaps more slowly would delay their posts by more than it helps those of other searches.
    const isUrgent = hasGapToFill && failedAt === -Infinity
    const least = isUrgent ? 0 : !once ? wait : endsAt === null ? 0 : wait * (1 - early)
    const retry = retryAt > now + retryMs(minInterval) ? now : retryAt
    return pace === null || pace.at > now ? retry : Math.max(retry, Math.max(pace.at, failedAt) + least)
  })
}

/**
 * When a search that is not due yet will be, if nothing is spent meanwhile: the longer the wait, the more each moment may spend.
 *
 * @param index Of the search.
 */
export function whenDue(
  index: number,
  ...[searches, budget, now, terms]: Parameters<typeof dueTimes>
): number {
  const dueAt = (time: number): number => dueTimes(searches, budget, time, terms)[index] ?? Infinity
  let [early, late] = [now, Math.max(now, dueAt(now))]
  while (late < Infinity && late - early > 1000) {
    const middle = (early + late) / 2
    if (dueAt(middle) <= middle) late = middle
    else early = middle
  }
  return late
}

/**
 * How long each search waits from one check to the next, in milliseconds. New posts pay for their own pages. The rest of the
 * money buys checks, shared so that the mean delay of all posts is least: by the square root of how many posts come.
 *
 * @param rate Credits a millisecond; Infinity without a budget that has a period.
 */
export function waitsOf(
  searches: readonly Pick<DueSearch, 'pace' | 'price'>[],
  rate: number,
  minInterval: number,
): number[] {
  let pages = 0
  let roots = 0
  for (const { pace, price } of searches) {
    if (pace === null) continue
    pages += (usual(pace) * price) / microblogPageSize
    roots += Math.sqrt(usual(pace) * price)
  }
  const spare = Math.max(rate * minShare, rate - pages)
  return searches.map(({ pace, price }) => {
    if (pace === null) return 0
    const wait = (Math.sqrt(price) * roots) / (spare * Math.sqrt(current(pace)))
    return Math.max(minInterval, Math.min(longestMs, wait))
  })
}

/** Posts a millisecond. Half a post in six hours is assumed, so that no search counts as silent for ever. */
function usual({ slow: [posts, ms] }: WatchPace): number {
  return (posts + 0.5) / (ms + 6 * hour)
}

/** The same for the last hours, within a third and three times of it. */
function current(pace: WatchPace): number {
  const rate = usual(pace)
  const [posts, ms] = pace.fast
  // Hours without a post tell nothing of a search that has one a day.
  const before = Math.max(hour, 1 / rate)
  return Math.min(3 * rate, Math.max(rate / 3, (posts + rate * before) / (ms + before)))
}
