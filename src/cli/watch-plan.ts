/** What a watch plans: how often its budget pays for a check, and how many posts its checks read. */
import { microblogPageSize } from '../api/limits.ts'
import { memory, unknownPace, waitsOf } from '../extensions/watch/due.ts'
import type { WatchPace, WatchState } from '../extensions/watch/index.ts'
import { gapsOf } from '../extensions/watch/spans.ts'
import { count, durationText } from '../lib/count.ts'
import type { Period } from '../lib/period.ts'
import { parseTime } from '../lib/time.ts'

const day = 86_400_000
/** Of a month, the mean. */
const lengths = { hour: day / 24, day, month: 30.4 * day } as const

interface BudgetTerms {
  readonly limit: number
  readonly every: Period
}

/** As JSON, since `social-search budget` shows the plans of earlier runs. Times are in milliseconds. */
export interface WatchPlan {
  readonly queries: number
  /** Credits of a page. */
  readonly price: number
  /** Between two checks, or two runs of a schedule; absent until a schedule has shown it. */
  readonly interval?: number | undefined
  /** Absent without a budget that resets. */
  readonly budget?: BudgetTerms | undefined
  /** How long each query waits between two checks that the budget pays for: the shortest, and the longest. */
  readonly waits: readonly [shortest: number, longest: number]
  /** Posts a day, how many of them the checks read, and what ends the checks. */
  readonly posts: readonly [all: number, read: number, ends: 'budget' | 'pages']
}

export interface PlanTerms extends Pick<WatchPlan, 'price' | 'interval' | 'budget'> {
  readonly minInterval: number
  readonly maxPages: number
  /** A check that `maxPages` ends goes on in the next run; a watch that runs goes on at once. */
  readonly once: boolean
}

/** @param states What is known of each query. */
export function planOf(states: readonly (WatchState | null)[], terms: PlanTerms): WatchPlan {
  const { price, interval, budget, maxPages, once } = terms
  const waits = waitsIn(states, terms)
  const rates = states.map((state) => (state === null ? 0 : postsOf(state) * day))
  const checks = waits.map((wait) => day / Math.max(wait, interval ?? 0))
  const all = sum(rates)
  // A check that is short of pages has no page without new posts.
  const mostOfCheck = once ? microblogPageSize * maxPages : Infinity
  const ofPages = sum(rates.map((rate, index) => Math.min(rate, (checks[index] ?? 0) * mostOfCheck)))
  const ofBudget = budget === undefined ? Infinity : (microblogPageSize * dailyOf(budget)) / price
  // More money pays for more checks.
  const ends = ofPages < 0.9 * ofBudget ? 'pages' : 'budget'
  return {
    ...{ queries: states.length, price, interval, budget },
    waits: [Math.min(...waits), Math.max(...waits)],
    posts: [all, Math.min(ofBudget, ofPages), ends],
  }
}

/**
 * How long each query waits from one check to the next, in hours with as many posts as usual.
 *
 * @param rate Credits a millisecond. Default: those of the budget.
 */
export function waitsIn(
  states: readonly (WatchState | null)[],
  { price, minInterval, budget }: Pick<PlanTerms, 'price' | 'minInterval' | 'budget'>,
  rate = budget === undefined ? Infinity : dailyOf(budget) / day,
): number[] {
  const paceOf = (state: WatchState | null): WatchPace => ({ ...(state?.pace ?? unknownPace), fast: [0, 0] })
  return waitsOf(
    states.map((state) => ({ pace: paceOf(state), price })),
    rate,
    minInterval,
  )
}

/** Posts a millisecond that come, as far as a watch has read: without those of gaps, and without the time of gaps. */
function postsOf({ pace, spans }: WatchState): number {
  const {
    at,
    slow: [posts, ms],
  } = pace ?? unknownPace
  const missed = gapsOf(spans).map(({ from, to }) => {
    const end = parseTime(to)
    // The pace forgets gaps as it forgets posts.
    return (end - parseTime(from)) * Math.exp(-Math.max(0, at - end) / memory.slow) || 0
  })
  const read = missed.reduce((left, each) => left - each, ms)
  return posts / Math.max(read, ms / 100, 1)
}

/** The plan in one or two lines; none if there is nothing to plan. */
export function planLines({ queries, price, interval, budget, waits, posts }: WatchPlan): string[] {
  if (budget === undefined && interval === undefined) return []
  const check = `${queries} ${queries === 1 ? 'query' : 'queries'} × ${count(price, 'credit')}`
  const cost =
    interval === undefined
      ? `${check} = ${count(queries * price, 'credit')} a check`
      : `${check} × ${numberText(checksOf(interval))} ${checksOf(interval) === 1 ? 'check' : 'checks'} = ${numberText(idleCost({ queries, price, interval }))} a day`
  const every = (least: number): string => {
    const [shortest, longest] = waits.map((wait) => Math.max(wait, least)) as [number, number]
    const range = longest < 1.25 * shortest ? [longest] : [shortest, longest]
    return range.map(durationText).join(' to ')
  }
  const pays =
    budget &&
    `${creditsText(budget)} pay for ${interval === undefined ? 'one' : 'a check'} every ${every(interval ?? 0)}`
  const [all, read, ends] = posts
  const raise = ends === 'budget' ? 'the budget' : '--max-pages'
  const few = `Posts come faster than these checks read them: about ${rounded(read)} of ${rounded(all)} posts a day. To read more, raise ${raise}`
  return [
    pays === undefined ? `${cost} without new posts` : `${cost}; ${pays}`,
    ...(read < 0.9 * all ? [few] : []),
  ]
}

/** That others plan with the same money. */
export function sharedText(others: readonly { readonly name: string }[]): string {
  const names = others.map(({ name }) => name)
  return `This budget also pays for the watch of ${names.join(', and of ')}. Each plans to spend all of it: let one watch check all queries`
}

/** `100 a day`. */
export function creditsText({ limit, every }: BudgetTerms, unit = ''): string {
  return `${numberText(limit)}${unit} ${every === 'hour' ? 'an' : 'a'} ${every}`
}

/** The budget that pays for each check of a schedule: `144/day`. */
export function enoughText({ queries, price, interval = day, budget }: WatchPlan): string {
  const every = budget?.every ?? 'day'
  return `${Math.ceil((idleCost({ queries, price, interval }) * lengths[every]) / day)}/${every}`
}

/** What checks cost in a day that bring no more than a page. */
function idleCost({
  queries,
  price,
  interval,
}: {
  queries: number
  price: number
  interval: number
}): number {
  return queries * price * checksOf(interval)
}

const checksOf = (interval: number): number => Math.max(1, Math.round(day / interval))

const dailyOf = ({ limit, every }: BudgetTerms): number => (limit * day) / lengths[every]

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

const numberText = (amount: number): string => amount.toLocaleString('en')

/** Two digits are as much as a plan knows. */
const rounded = (amount: number): string => numberText(Number(amount.toPrecision(2)))
