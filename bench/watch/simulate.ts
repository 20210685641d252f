import { day } from './loads.ts'
import { Reader } from './reader.ts'
import { type Rule, price } from './rules.ts'

/** What a rule has to work with. */
export interface Terms {
  readonly days: number
  /** Credits of each period; Infinity for no limit. */
  readonly limit: number
  /** Days of a period. */
  readonly period: number
  readonly overlap: number
}

/** What a rule has achieved. */
export interface Outcome {
  /** Credits a day on average. */
  readonly spent: number
  /** Mean delay of the posts that were read, in minutes. */
  readonly mean: number
  /** The delay that nineteen of twenty posts do not exceed, in minutes. */
  readonly late: number
  /** Mean delay of the posts of the search with the highest, among those with at least five. */
  readonly worst: number
  /** Posts that nobody has read in the end. */
  readonly unread: number
}

/** Most pages of one look. */
const maxPages = 10

/** Watches searches minute by minute. */
export function simulate(searches: readonly (readonly number[])[], rule: Rule, terms: Terms): Outcome {
  const { days, limit, period, overlap } = terms
  const readers = searches.map((posts) => new Reader(posts, overlap))
  const length = period * day
  let [total, spent] = [0, 0]
  const pay = (): boolean => {
    if (spent + price > limit) return false
    spent += price
    total += price
    return true
  }
  for (let time = 0; time < days * day; time++) {
    if (time % length === 0) spent = 0
    const endsAt = length * (Math.floor(time / length) + 1)
    const look = (index: number): number => readers[index]?.look(time, maxPages, pay) ?? 0
    rule({ ...{ time, readers, limit, endsAt, look }, remaining: () => limit - spent })
  }
  const delays = readers.flatMap((reader) => reader.delays).sort((a, b) => a - b)
  const means = readers.filter(({ delays }) => delays.length >= 5).map(({ delays }) => meanOf(delays))
  return {
    spent: total / days,
    mean: meanOf(delays),
    late: delays[Math.floor(delays.length * 0.95)] ?? 0,
    worst: Math.max(0, ...means),
    unread: readers.reduce((sum, reader) => sum + reader.unread(days * day), 0),
  }
}

export function meanOf(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}
