import type { MicroblogPost, ProfessionalnetPost } from 'social-search-sdk'
import {
  type Day,
  type Period,
  type Span,
  type Unit,
  before,
  bucketOf,
  bucketSpan,
  partOf,
  spanOf,
} from './period.ts'

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

/** The part of a period of which every search has all posts. All figures of the page count this part, and only this part. */
export function coveredBy(results: Result[], period: Period): Span {
  const { from, until } = spanOf(period)
  return { from: Math.min(until, Math.max(from, ...results.map(coveredFrom))), until }
}

/** What to compare a period with: the one before, of a period that goes on up to the same hour. */
export function earlierOf(period: Period): Span {
  const { from, until } = spanOf(before(period))
  return { from, until: until - Math.max(0, spanOf(period).until - Date.now()) }
}

/** A day, week or month: its number for each search, null if it is unknown, and what of it is covered, unless it is whole. */
export interface Row {
  bucket: Day
  values: (number | null)[]
  part: string
}

interface RowsOptions {
  covered: Span
  buckets: Day[]
  unit: Unit
  metric: Metric
  /** Whether days that are not covered have a row without a number: they will be, and nothing moves then. */
  isGrowing?: boolean
}

/** A number of each search in each day, week or month that is covered, if only in part. */
export function rowsOf(
  results: Result[],
  { covered, buckets, unit, metric, isGrowing = false }: RowsOptions,
): Row[] {
  const groups = results.map((result) =>
    Map.groupBy(within(result, covered), ({ timestamp }) => bucketOf(timestamp, unit)),
  )
  const isCovered = (bucket: Day) => bucketSpan(bucket, unit).until > covered.from
  return buckets
    .filter((bucket) => isGrowing || isCovered(bucket))
    .map((bucket) => ({
      bucket,
      part: isCovered(bucket) ? partOf(bucket, unit, covered) : '',
      values: groups.map((group, i) =>
        results[i]!.isLoaded && isCovered(bucket) ? numbersOf(group.get(bucket) ?? [])[metric] : null,
      ),
    }))
}

/** The index of the highest value; -1 if several are as high, or none is there. */
export function peakOf(values: (number | null)[]): number {
  const highest = Math.max(0, ...values.map((value) => value ?? 0))
  const index = values.indexOf(highest)
  return highest > 0 && values.lastIndexOf(highest) === index ? index : -1
}

/** The index of the higher number; null if the two are within five points of their sum. */
export function leaderOf([a = 0, b = 0]: number[]): 0 | 1 | null {
  if (100 * Math.abs(a - b) <= 5 * (a + b)) return null
  return a > b ? 0 : 1
}

/** How many times as high the higher number is: `1.2×`, `31×`. */
export function leadOf(numbers: number[]): string {
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)]
  if (low === 0) return 'all'
  return `${high / low < 10 ? Math.round((10 * high) / low) / 10 : Math.round(high / low)}×`
}
