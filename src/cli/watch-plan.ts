import { resolve } from 'node:path'
import { microblogPageSize } from '../api/endpoints/microblog.ts'
import { memory, unknownPace, waitsOf } from '../extensions/watch/due.ts'
import type { SearchBatch, WatchPace, WatchState } from '../extensions/watch/index.ts'
import { gapsOf } from '../extensions/watch/spans.ts'
import type { SharedStore } from '../extensions/shared/index.ts'
import type { Budget, BudgetOutlook } from '../index.ts'
import { count, durationText } from '../lib/count.ts'
import { sha256 } from '../lib/hash.ts'
import { parsed } from '../lib/json.ts'
import type { Period } from '../lib/period.ts'
import { parseTime } from '../lib/time.ts'
import { type PeriodTerms, PeriodBudget } from './period-budget.ts'
import { toStderr, toTerminal, timeOfDay } from './terminal.ts'

const hour = 3_600_000
const day = 24 * hour
/** Of a month, the mean. */
const lengths = { hour, day, month: 30.4 * day } as const

/** What a watch plans: how often its budget pays for a check, and how many posts its checks read. As JSON, since `social-search budget` shows the plans of earlier runs. Times are in milliseconds. */
export interface WatchPlan {
  readonly queries: number
  /** Credits of a page. */
  readonly price: number
  /** Between two checks, or two runs of a schedule; absent until a schedule has shown it. */
  readonly interval?: number | undefined
  /** Absent without a budget that resets. */
  readonly budget?: PeriodTerms | undefined
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
  const ends = ofPages < ofBudget ? 'pages' : 'budget'
  return {
    ...{ queries: states.length, price, interval, budget },
    waits: [Math.min(...waits), Math.max(...waits)],
    posts: [all, Math.min(ofBudget, ofPages), ends],
  }
}

/** How long each query waits from one check to the next, in hours with as many posts as usual. */
function waitsIn(
  states: readonly (WatchState | null)[],
  { price, minInterval, budget }: Pick<PlanTerms, 'price' | 'minInterval' | 'budget'>,
): number[] {
  const paceOf = (state: WatchState | null): WatchPace => ({ ...(state?.pace ?? unknownPace), fast: [0, 0] })
  return waitsOf(
    states.map((state) => ({ pace: paceOf(state), price })),
    budget === undefined ? Infinity : dailyOf(budget) / day,
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
export function planLines(plan: WatchPlan): string[] {
  const { queries, price, interval, budget, waits, posts } = plan
  if (budget === undefined && interval === undefined) return []
  const check = `${queries} ${queries === 1 ? 'query' : 'queries'} × ${count(price, 'credit')}`
  const cost =
    interval === undefined
      ? `${check} = ${count(queries * price, 'credit')} a check`
      : `${check} × ${numberText(checksOf(interval))} ${checksOf(interval) === 1 ? 'check' : 'checks'} = ${numberText(idleCost(plan))} a day`
  const spaced = waits.map((wait) => Math.max(wait, interval ?? 0)) as [number, number]
  const pays =
    budget && paysText(budget, '', queries * price, interval === undefined ? 'one' : 'a check', spaced)
  const [all, read, ends] = posts
  const raise = ends === 'budget' ? 'the budget' : '--max-pages'
  const few = `Posts come faster than these checks read them: about ${rounded(read)} of ${rounded(all)} posts a day. To read more, raise ${raise}`
  return [
    pays === undefined ? `${cost} without new posts` : `${cost}; ${pays}`,
    ...(read < 0.9 * all ? [few] : []),
  ]
}

/** `100 a day pay for one every 2 h`, or how many checks it pays for, if it is spent before its period ends. */
function paysText(
  budget: PeriodTerms,
  unit: string,
  cost: number,
  check: string,
  [shortest, longest]: readonly [number, number],
): string {
  const pays = `${creditsText(budget, unit)} pay for`
  if (dailyOf(budget) * longest < cost * day)
    return `${pays} ${count(Math.floor(budget.limit / cost), 'check')}`
  const range = longest < 1.25 * shortest ? [longest] : [shortest, longest]
  return `${pays} ${check} every ${range.map(durationText).join(' to ')}`
}

/** That others plan with the same money. */
function sharedText(others: readonly { readonly name: string }[]): string {
  const names = others.map(({ name }) => name)
  return `This budget also pays for the watch of ${names.join(', and of ')}. Each plans to spend all of it: let one watch check all queries`
}

/** `100 a day`. */
function creditsText({ limit, every }: PeriodTerms, unit = ''): string {
  return `${numberText(limit)}${unit} ${every === 'hour' ? 'an' : 'a'} ${every}`
}

/** The budget that pays for each check of a schedule: `144/day`. */
function enoughText(plan: WatchPlan): string {
  const every = plan.budget?.every ?? 'day'
  return `${Math.ceil((idleCost(plan) * lengths[every]) / day)}/${every}`
}

/** What checks cost in a day that bring no more than a page. */
function idleCost({ queries, price, interval = day }: WatchPlan): number {
  return queries * price * checksOf(interval)
}

const checksOf = (interval: number): number => Math.max(1, Math.round(day / interval))

const dailyOf = ({ limit, every }: PeriodTerms): number => (limit * day) / lengths[every]

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

const numberText = (amount: number): string => amount.toLocaleString('en')

/** Two digits are as much as a plan knows. */
const rounded = (amount: number): string => numberText(Number(amount.toPrecision(2)))

/** What a watch plans with: its terms, and what it has read of each query. */
export interface PlannerOptions extends Pick<PlanTerms, 'price' | 'minInterval' | 'maxPages' | 'once'> {
  /** Those of the file, as far as it has them. */
  readonly states: Readonly<Record<string, WatchState | null>>
  readonly searchKeys: readonly object[]
  readonly out: string | undefined
  readonly budget: Budget | undefined
}

/** Says what a watch plans, and when its next check is due. */
export class WatchPlanner {
  readonly #options: PlannerOptions
  readonly #period: PeriodBudget | undefined
  readonly #states: Map<string, WatchState | null>
  readonly #startedAt = Date.now()
  #isSaid = false
  #notedAt = 0

  constructor(options: PlannerOptions) {
    const { states, budget } = options
    this.#options = options
    this.#period = budget instanceof PeriodBudget ? budget : undefined
    this.#states = new Map(Object.entries(states))
  }

  /** Notes what a check has found. */
  note({ name, state }: SearchBatch<string, object>): void {
    this.#states.set(name, state)
  }

  /**
   * Says the plan once: for new queries, after their first check. A watch that runs notes it each hour.
   *
   * @param isOver Whether no other check follows.
   */
  async say(isOver = false): Promise<void> {
    if (this.#isSaid && Date.now() > this.#notedAt + hour) await this.#note()
    const known = [...this.#states.values()].filter((state) => state?.pace !== undefined)
    if (this.#isSaid || known.length < (isOver ? 1 : this.#states.size)) return
    this.#isSaid = true
    const noted = await this.#note()
    const plan = noted?.watch.plan ?? this.#planOf(this.#options.once ? undefined : this.#options.minInterval)
    const others = noted?.others ?? []
    const lines = [...planLines(plan), ...(others.length > 0 ? [sharedText(others)] : [])]
    for (const line of lines) (this.#options.out === undefined ? toTerminal : toStderr)(line)
  }

  /** When a query is due for a check, and why not now. */
  async idleText(query: string, dueAt: number): Promise<string> {
    const { minInterval } = this.#options
    const budget = this.#period?.terms
    const { pace, failedAt = 0 } = this.#states.get(query) ?? {}
    const last = Math.max(pace?.at ?? 0, failedAt)
    const { endsAt } = (await this.outlook()) ?? {}
    const usual = this.#waitOf(query)
    // The next period has more money.
    const next = `next check ${clockText(Math.min(dueAt, Math.max(endsAt ?? Infinity, last + usual)))}`
    if (budget === undefined || dueAt <= last + minInterval)
      return `${next} (--min-interval is ${durationText(minInterval)})`
    const isQuiet = dueAt > last + 1.1 * usual ? '; few posts come now' : ''
    const cost = this.#states.size * this.#options.price
    return `${next} (${paysText(budget, ' credits', cost, 'one', [usual, usual])}${isQuiet})`
  }

  /** Tells once how often to run a schedule whose run had nothing to do. */
  async sayHowOften(): Promise<void> {
    const noted = await this.#note()
    if (noted?.watch.interval === undefined || noted.watch.isTold === true) return
    const { plan } = noted.watch
    await this.#note(true)
    const every = durationText(Math.max(...plan.waits))
    const isShort = Math.max(...plan.waits) > this.#options.minInterval
    const rise = isShort ? `raise the budget to ${enoughText(plan)}` : 'lower --min-interval'
    toStderr(
      `Runs without a check cost nothing. To have fewer, start one every ${every}. To check in each, ${rise}`,
    )
  }

  /** What the budget has left; undefined without one, or while it does not answer. */
  outlook(): Promise<BudgetOutlook | undefined> {
    return Promise.resolve(this.#options.budget?.summary?.()).catch(() => undefined)
  }

  #waitOf(query: string): number {
    const waits = waitsIn([...this.#states.values()], { ...this.#options, budget: this.#period?.terms })
    return waits[[...this.#states.keys()].indexOf(query)] ?? 0
  }

  #planOf(interval: number | undefined): WatchPlan {
    const terms = { ...this.#options, budget: this.#period?.terms }
    return planOf([...this.#states.values()], { ...terms, interval })
  }

  /** Notes this watch beside the budget that it spends; undefined without one that resets. */
  async #note(isTold?: boolean): Promise<{ watch: NotedWatch; others: readonly NotedWatch[] } | undefined> {
    const { out, searchKeys } = this.#options
    this.#notedAt = Date.now()
    const id = (await sha256(JSON.stringify([resolve(out ?? ''), searchKeys]))).slice(0, 32)
    const noted = this.#period?.changeNotes('watches', (text) => {
      const { [id]: before, ...others } = watchesIn(text)
      const watch = this.#watchAfter(before, isTold)
      const value = JSON.stringify({ ...others, [id]: watch } satisfies NotedWatches)
      return { value, result: { watch, others: Object.values(others) } }
    })
    return noted?.catch(() => undefined)
  }

  #watchAfter(before: NotedWatch | undefined, isTold: boolean | undefined): NotedWatch {
    const { out, once, minInterval } = this.#options
    const at = once ? this.#startedAt : Date.now()
    // The clock may have been set back.
    const isNext = before !== undefined && before.at < at
    const interval = !once ? minInterval : isNext ? at - before.at : before?.interval
    const plan = this.#planOf(interval && Math.max(interval, minInterval))
    const name = `${[...this.#states.keys()].join(', ')}${out === undefined ? '' : ` (${out})`}`
    return { name, at, interval, isTold: isTold ?? before?.isTold, plan }
  }
}

function clockText(time: number): string {
  return timeOfDay(new Date(time).toISOString())
}

/** A watch that spends a budget, as others see it. */
interface NotedWatch {
  /** Its queries and its file, in words. */
  readonly name: string
  readonly plan: WatchPlan
  /** When it last ran, in milliseconds since 1970. */
  readonly at: number
  /** How long before that the run before had started, in milliseconds. */
  readonly interval?: number | undefined
  /** Whether the user has read how often to run it. */
  readonly isTold?: boolean | undefined
}

type NotedWatches = Readonly<Record<string, NotedWatch>>

/** A watch that has not run for so long spends nothing any more, in milliseconds. */
const mostSilence = 2 * day

function watchesIn(text: string | undefined): NotedWatches {
  const all = Object.entries((parsed(text ?? '{}') ?? {}) as NotedWatches)
  return Object.fromEntries(all.filter(([, { at }]) => Math.abs(Date.now() - at) < mostSilence))
}

/** The plans of the watches that spend a budget, for `social-search budget`. */
export async function plansText(store: SharedStore, owner: string, every: Period): Promise<string> {
  const watches = Object.values(watchesIn(await PeriodBudget.notes(store, 'watches', owner, every)))
  const lines = watches.map(({ name, plan }) => `  ${name}: ${planLines(plan).join('\n    ')}\n`)
  if (watches.length > 1)
    lines.push(`  ${watches.length} watches share this budget, and each plans to spend all of it\n`)
  return lines.join('')
}
