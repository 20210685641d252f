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
  /** Of the last days, without the time before the first check. States of earlier versions lack it. */
  readonly watched?: PostCount
}

/** Posts on a page of the microblog network. */
export const pageSize = 20

const hour = 3_600_000
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
    return {
      ...{ at: now, fast: countOf(times, now, memory.fast), slow: countOf(times, now, memory.slow) },
      watched: [0, 0],
    }
  // The clock may have been set back.
  const ms = Math.max(0, now - before.at)
  const next = ([posts, since]: PostCount, length: number): PostCount => {
    const kept = Math.exp(-ms / length)
    return [posts * kept + found, since * kept + ms]
  }
  return {
    ...{ at: now, fast: next(before.fast, memory.fast), slow: next(before.slow, memory.slow) },
    watched: next(before.watched ?? [0, 0], memory.slow),
  }
}

function countOf(times: readonly number[], now: number, length: number): PostCount {
  if (times.length < 2) return [0, 0]
  const ms = Math.max(60_000, now - Math.min(...times))
  const share = Math.min(1, length / ms)
  return [(times.length - 1) * share, ms * share]
}
