/** Mentions by day or week, of those that are covered. */
import { type Covered, type Mention, isUnseen, timeOf } from './mentions.ts'
import { type Day, type Unit, bucketOf, bucketsOf, lastDays, startOf, today } from './period.ts'

/** How many days before today the first view and the chart look back. */
export const days = 28
/** Fewer make no ratio and no chart. */
export const fewMentions = 5
export const period = () => lastDays(days + 1)

/** A day or week with its mentions. */
interface Bucket {
  bucket: Day
  count: number
  unseen: number
}

/** The four weeks before today, and today, as far as all of their mentions are loaded. */
export function bucketsIn({ found, from }: Covered, unit: Unit): Bucket[] {
  return bucketsOf(period(), unit)
    .filter((bucket) => startOf(bucket) >= from)
    .map((bucket) => {
      const group = found.filter(isIn(bucket, unit))
      return { bucket, count: group.length, unseen: group.filter(isUnseen).length }
    })
}

/** Those of today and the four weeks before, and those without a time. */
export const latest = ({ found }: Covered) =>
  found.filter((mention) => !(timeOf(mention) < startOf(period().from)))

export const isIn = (bucket: Day, unit: Unit) => (mention: Mention) =>
  mention.publishedAt !== undefined && bucketOf(mention.publishedAt, unit) === bucket

/** How many mentions are of today: at least so many, if not all are loaded. */
export const ofToday = ({ found }: Covered) => found.filter((each) => timeOf(each) >= startOf(today())).length

/** The mean of the days before today that are covered, and how many these are. */
export function meanOf(daily: Bucket[]): { mean: number | null; of: number } {
  const past = daily.filter(({ bucket }) => bucket < today())
  const sum = past.reduce((total, { count }) => total + count, 0)
  return { mean: past.length > 0 ? sum / past.length : null, of: past.length }
}

/** The day with most mentions; null if there are none. */
export function spikeOf(daily: Bucket[]): Bucket | null {
  const [first = null, ...others] = daily
  const best = others.reduce((a, b) => (a && b.count <= a.count ? a : b), first)
  return best?.count ? best : null
}
