import type { MicroblogPost } from 'social-search-sdk'
import { type Day, type Period, before, dayOf, isWithin } from './period.ts'

/** The posts of one search so far. */
export interface Result {
  query: string
  color: string
  posts: MicroblogPost[]
  /** Whether there are no more posts in the period and the one before it. */
  isComplete: boolean
}

export interface Numbers {
  posts: number
  authors: number
  views: number
  /** Likes, reposts, quotes and replies. */
  engagement: number
}

export const engagementOf = ({ engagements }: MicroblogPost) =>
  engagements.favoriteCount + engagements.retweetCount + engagements.quoteCount + engagements.replyCount

export function numbersOf(posts: MicroblogPost[]): Numbers {
  const sum = (of: (post: MicroblogPost) => number) => posts.reduce((total, post) => total + of(post), 0)
  return {
    posts: posts.length,
    authors: new Set(posts.map(({ author }) => author)).size,
    views: sum(({ engagements }) => engagements.viewsCount),
    engagement: sum(engagementOf),
  }
}

export const within = (posts: MicroblogPost[], period: Period) =>
  posts.filter(({ timestamp }) => isWithin(timestamp, period))

/** The first day of which a search has all posts: they come newest first, so its oldest day may lack some. */
export function coveredFrom({ posts, isComplete }: Result, period: Period): Day {
  const oldest = posts.at(-1)
  if (isComplete) return before(period).from
  return oldest ? dayOf(Date.parse(oldest.timestamp) + 86_400_000) : '9999'
}

/** Numbers of the period, and of the one before if the search has all of its posts. */
export function changeOf(result: Result, period: Period): { now: Numbers; then: Numbers | null } {
  const hasBefore = coveredFrom(result, period) <= before(period).from
  return {
    now: numbersOf(within(result.posts, period)),
    then: hasBefore ? numbersOf(within(result.posts, before(period))) : null,
  }
}

/** Posts of each search in the days of which every search has all posts. */
export function sharesOf(results: Result[], period: Period): { from: Day; counts: number[]; total: number } {
  const starts = results.map((result) => coveredFrom(result, period))
  const from = [...starts, period.from].sort().at(-1)!
  const counts = results.map(({ posts }) => within(posts, { ...period, from }).length)
  return { from, counts, total: counts.reduce((sum, count) => sum + count, 0) }
}

/** Values with how often each occurs, the most frequent first. */
export function countsOf(values: string[]): [value: string, count: number][] {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)
}
