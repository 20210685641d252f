import type { MicroblogPost, ProfessionalnetPost } from 'social-search-sdk'
import { type Day, type Period, type Unit, addDays, bucketOf, startOf } from './period.ts'

/** A post of either network, in the words of the microblog: likes, reposts and replies there, likes, shares and comments here. */
export interface Post extends Pick<MicroblogPost, 'id' | 'author' | 'name' | 'body' | 'url' | 'timestamp'> {
  engagements: Record<'favoriteCount' | 'retweetCount' | 'quoteCount' | 'replyCount', number> & {
    /** Missing if the network does not count views. */
    viewsCount?: number
  }
  /** As the service sent it. */
  record?: MicroblogPost | ProfessionalnetPost
}

/** The posts of one search so far, newest first. */
export interface Result {
  query: string
  posts: Post[]
  /** Whether its first page is there. */
  isLoaded: boolean
  /** Whether the search has no older posts. */
  isComplete: boolean
}

export const metrics = ['posts', 'views', 'engagement', 'authors'] as const
export type Metric = (typeof metrics)[number]
/** `engagement` counts likes, reposts, quotes and replies. */
export type Numbers = Record<Metric, number>

/** Times in milliseconds: the first one is included, the last one is not. */
export interface Span {
  from: number
  until: number
}

const timeOf = ({ timestamp }: Post) => Date.parse(timestamp)
const viewsOf = ({ engagements }: Post) => engagements.viewsCount ?? 0
const engagementOf = ({ engagements }: Post) =>
  engagements.favoriteCount + engagements.retweetCount + engagements.quoteCount + engagements.replyCount

export function numbersOf(posts: Post[]): Numbers {
  const sum = (of: (post: Post) => number) => posts.reduce((total, post) => total + of(post), 0)
  const authors = new Set(posts.map(({ author }) => author)).size
  return { posts: posts.length, authors, views: sum(viewsOf), engagement: sum(engagementOf) }
}

export const within = ({ posts }: Pick<Result, 'posts'>, { from, until }: Span) =>
  posts.filter((post) => from <= timeOf(post) && timeOf(post) < until)

export const spanOf = ({ from, to }: Period): Span => ({
  from: startOf(from),
  until: startOf(addDays(to, 1)),
})

/** Whether a search has all posts since a time. They come newest first, so it has those since its oldest one. */
export const reaches = (result: Result, time: number) => coveredFrom(result) <= time

function coveredFrom({ posts, isComplete }: Result): number {
  const oldest = posts.at(-1)
  return isComplete ? -Infinity : oldest ? timeOf(oldest) : Infinity
}

/** Whether all have the posts since a time, and the network goes back further: if it does not, posts may be missing. */
export const hasPostsSince = (results: Result[], time: number) =>
  results.every((result) => reaches(result, time)) &&
  results.some(({ posts }) => posts.some((post) => timeOf(post) < time))

/** The part of a period of which every search has all posts. All numbers on the page count this part, and only this part. */
export function commonSpan(results: Result[], period: Period): Span {
  const { from, until } = spanOf(period)
  return { from: Math.min(until, Math.max(from, ...results.map(coveredFrom))), until }
}

/** A number of each search in each day, week or month; null where posts are missing. */
export function valuesOf(
  results: Result[],
  { span, buckets, unit, metric }: { span: Span; buckets: Day[]; unit: Unit; metric: Metric },
): (number | null)[][] {
  const groups = results.map((result) =>
    Map.groupBy(within(result, span), ({ timestamp }) => bucketOf(timestamp, unit)),
  )
  return buckets.map((bucket, i) => {
    const next = buckets[i + 1]
    const isMissing = (next ? startOf(next) : span.until) <= span.from
    return groups.map((group, side) =>
      isMissing || !results[side]!.isLoaded ? null : numbersOf(group.get(bucket) ?? [])[metric],
    )
  })
}

/** The index of the highest value; -1 if several are as high, or none is there. */
export function peakOf(values: (number | null)[]): number {
  const highest = Math.max(0, ...values.map((value) => value ?? 0))
  const index = values.indexOf(highest)
  return highest > 0 && values.lastIndexOf(highest) === index ? index : -1
}
