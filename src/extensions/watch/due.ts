import { type PacedSearch, waitsOf } from './pace.ts'

/** A budget with a period, and what it has left. */
export interface Funds {
  readonly limit: number
  readonly remaining: number
  /** In milliseconds since 1970. */
  readonly endsAt: number
}

/** A search, and what its last look has left. */
export interface DueSearch extends PacedSearch {
  /** Whether another look would fill a gap. */
  readonly hasMore: boolean
  /** Not before this time: the last look has failed. */
  readonly retryAt: number
}

/** A schedule that starts runs each hour starts some of them a little early. */
const early = 0.1

/** How long a search waits after an error, in milliseconds. */
export const retryMs = (freshness: number): number => Math.max(60_000, freshness)

/**
 * When each search is due for a look, in milliseconds since 1970; Infinity if there is no money for a page.
 *
 * @param funds Null without a budget that has a period.
 */
export function dueTimes(
  searches: readonly DueSearch[],
  funds: Funds | null,
  now: number,
  { freshness, once }: { readonly freshness: number; readonly once: boolean },
): number[] {
  const rate = funds === null ? Infinity : funds.remaining / Math.max(1, funds.endsAt - now)
  const waits = waitsOf(searches, rate, freshness)
  return searches.map(({ pace, price, hasMore, retryAt }, index) => {
    if (funds !== null && funds.remaining < price && price <= funds.limit) return Infinity
    const wait = waits[index] ?? 0
    const least = hasMore ? 0 : !once ? wait : funds === null ? 0 : wait * (1 - early)
    // The clock may have been set back: a time that only a later clock can have made tells nothing.
    const retry = retryAt > now + retryMs(freshness) ? now : retryAt
    return pace === null || pace.at > now ? retry : Math.max(retry, pace.at + least)
  })
}
