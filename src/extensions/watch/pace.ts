/** Posts that came in some time, in milliseconds; what is long ago counts less and less. */
export type PostCount = readonly [posts: number, ms: number]

/** How often posts of a search come, as plain JSON. */
export interface WatchPace {
  /** When the search was last looked at, in milliseconds since 1970. */
  readonly at: number
  /** Of the last hours. */
  readonly fast: PostCount
  /** Of the last days. */
  readonly slow: PostCount
}

/** What decides how long a search waits for its next look. */
export interface PacedSearch {
  /** Null before the first look. */
  readonly pace: WatchPace | null
  /** Credits of a page. */
  readonly price: number
}

/** Posts on a page of the microblog network. */
export const pageSize = 20

const hour = 3_600_000
const memory = { fast: 3 * hour, slow: 24 * hour }
/** No search waits longer, as far as the budget goes. */
const longestMs = 24 * hour
/** If new posts need all the money for their pages, looks still get one part in so many. */
const leastPart = 10

/**
 * The pace after a look.
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

/**
 * How long each search waits from one look to the next, in milliseconds. New posts pay for their own pages. The rest of the
 * money buys looks, shared so that the mean delay of all posts is least: by the square root of how many posts come.
 *
 * @param rate Credits a millisecond; Infinity without a budget that has a period.
 */
export function waitsOf(searches: readonly PacedSearch[], rate: number, freshness: number): number[] {
  let pages = 0
  let roots = 0
  for (const { pace, price } of searches) {
    if (pace === null) continue
    pages += (usual(pace) * price) / pageSize
    roots += Math.sqrt(usual(pace) * price)
  }
  const spare = Math.max(rate / leastPart, rate - pages)
  return searches.map(({ pace, price }) => {
    if (pace === null) return 0
    const wait = (Math.sqrt(price) * roots) / (spare * Math.sqrt(current(pace)))
    return Math.max(freshness, Math.min(longestMs, wait))
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
  return Math.min(3 * rate, Math.max(rate / 3, (posts + rate * hour) / (ms + hour)))
}

function countOf(times: readonly number[], now: number, length: number): PostCount {
  if (times.length < 2) return [0, 0]
  const ms = Math.max(60_000, now - Math.min(...times))
  const share = Math.min(1, length / ms)
  return [(times.length - 1) * share, ms * share]
}
