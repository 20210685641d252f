import { resolve } from 'node:path'
import { type DueSearch, type Funds, dueTimes } from '../extensions/watch/due.ts'
import type { WatchState } from '../extensions/watch/index.ts'
import { hasGapToFill } from '../extensions/watch/spans.ts'
import type { Budget, BudgetOutlook } from '../index.ts'
import { count, durationText } from '../lib/count.ts'
import { sha256 } from '../lib/hash.ts'
import { type NotedWatch, PeriodBudget } from './period-budget.ts'
import { say, showProgress, tell } from './terminal.ts'
import {
  type PlanTerms,
  type WatchPlan,
  creditsText,
  enoughText,
  planLines,
  planOf,
  sharedText,
  waitsIn,
} from './watch-plan.ts'
import { timeOfDay } from './watch-report.ts'

const hour = 3_600_000

/** What a watch plans with: its terms, and what it has read of each query. */
export interface PlannerOptions extends Pick<PlanTerms, 'price' | 'minInterval' | 'maxPages' | 'once'> {
  /** Those of the file, as far as it has them. */
  readonly states: Readonly<Record<string, WatchState | null>>
  readonly jobs: readonly object[]
  readonly out: string | undefined
  readonly budget: Budget | undefined
}

/** Says what a watch plans, and when its next check is due. */
export class WatchPlanner {
  readonly #options: PlannerOptions
  readonly #period: PeriodBudget | undefined
  readonly #states: Map<string, WatchState | null>
  readonly #retryAt = new Map<string, number>()
  readonly #startedAt = Date.now()
  #isSaid = false
  #notedAt = 0
  #isNextSaid = false

  constructor(options: PlannerOptions) {
    const { states, budget } = options
    this.#options = options
    this.#period = budget instanceof PeriodBudget ? budget : undefined
    this.#states = new Map(Object.entries(states))
  }

  /** @param retryAt When it is checked again after an error, in milliseconds since 1970. */
  note(query: string, state: WatchState, retryAt = 0): void {
    this.#states.set(query, state)
    this.#retryAt.set(query, retryAt)
  }

  /**
   * Says the plan once: for new queries, after their first check.
   *
   * @param isOver Whether no other check follows.
   */
  async say(isOver = false): Promise<void> {
    const known = [...this.#states.values()].filter((state) => state?.pace !== undefined)
    if (this.#isSaid || known.length < (isOver ? 1 : this.#states.size)) return
    this.#isSaid = true
    const noted = await this.#note()
    const plan = noted?.watch.plan ?? this.#planOf(this.#options.once ? undefined : this.#options.minInterval)
    const others = noted?.others ?? []
    const lines = [...planLines(plan), ...(others.length > 0 ? [sharedText(others)] : [])]
    for (const line of lines) (this.#options.out === undefined ? tell : say)(line)
  }

  /** When a query is due for a check, and why not now. */
  async idleText(query: string, dueAt: number): Promise<string> {
    const { minInterval } = this.#options
    const budget = this.#period?.terms
    const { pace, failedAt = 0 } = this.#states.get(query) ?? {}
    const last = Math.max(pace?.at ?? 0, failedAt)
    const { remaining = 0, endsAt = null } = (await this.outlook()) ?? {}
    const end = endsAt ?? Infinity
    const usual = this.#waitOf(query)
    const now = this.#waitOf(query, remaining / Math.max(1, end - Date.now()))
    // The next period has more money.
    const next = `next check ${timeText(Math.min(dueAt, Math.max(end, last + usual)))}`
    if (dueAt <= last + minInterval) return `${next} (--min-interval is ${durationText(minInterval)})`
    if (budget === undefined || now > 1.1 * usual)
      return `${next} (${count(remaining, 'credit')} left until ${timeText(end)} pay for one every ${durationText(now)})`
    const isQuiet = dueAt > last + 1.1 * usual ? '; few posts come now' : ''
    return `${next} (${creditsText(budget, ' credits')} pay for one every ${durationText(usual)}${isQuiet})`
  }

  /** Tells once how often to run a schedule whose run had nothing to do. */
  async sayHowOften(): Promise<void> {
    const noted = await this.#note()
    if (noted?.watch.isSteady !== true || noted.watch.isTold === true) return
    const { plan } = noted.watch
    await this.#note(true)
    const every = durationText(Math.max(...plan.waits))
    const isShort = Math.max(...plan.waits) > this.#options.minInterval
    const rise = isShort ? `raise the budget to ${enoughText(plan)}` : 'lower --min-interval'
    say(
      `Runs without a check cost nothing. To have fewer, start one every ${every}. To check in each, ${rise}`,
    )
  }

  /** Says when the next check is due, if the watch waits: always on a terminal, once in a log. */
  async sayNext(): Promise<void> {
    if (Date.now() > this.#notedAt + hour) await this.#note()
    if (this.#isNextSaid && !process.stderr.isTTY) return
    const outlook = await this.outlook()
    const funds = outlook === undefined || outlook.endsAt === null ? null : (outlook as Funds)
    const now = Date.now()
    const soonest = Math.min(...dueTimes(this.#due(), funds, now, { ...this.#options, once: false }))
    // Without money for a page, a new period has some.
    const at = soonest === Infinity ? (funds?.endsAt ?? Infinity) : soonest
    if (at <= now || at === Infinity) return
    this.#isNextSaid = true
    const text = `next check at ${timeText(at)}`
    if (process.stderr.isTTY) showProgress(text)
    else say(text)
  }

  /** What the budget has left; undefined without one, or while it does not answer. */
  outlook(): Promise<BudgetOutlook | undefined> {
    return Promise.resolve(this.#options.budget?.summary?.()).catch(() => undefined)
  }

  #due(): DueSearch[] {
    const { price } = this.#options
    return [...this.#states].map(([query, state]) => {
      const { spans = [], pace = null, failedAt } = state ?? {}
      const retryAt = this.#retryAt.get(query) ?? 0
      return { pace, price, hasGapToFill: hasGapToFill(spans), failedAt, retryAt }
    })
  }

  #waitOf(query: string, rate?: number): number {
    const waits = waitsIn([...this.#states.values()], { ...this.#options, budget: this.#period?.terms }, rate)
    return waits[[...this.#states.keys()].indexOf(query)] ?? 0
  }

  #planOf(interval: number | undefined): WatchPlan {
    const terms = { ...this.#options, budget: this.#period?.terms }
    return planOf([...this.#states.values()], { ...terms, interval })
  }

  /** Notes this watch beside the budget that it spends; undefined without one that resets. */
  async #note(isTold?: boolean): Promise<{ watch: NotedWatch; others: readonly NotedWatch[] } | undefined> {
    const { out, jobs } = this.#options
    this.#notedAt = Date.now()
    const id = (await sha256(JSON.stringify([resolve(out ?? ''), jobs]))).slice(0, 32)
    return this.#period?.noteWatch(id, (before) => this.#watchAfter(before, isTold)).catch(() => undefined)
  }

  #watchAfter(before: NotedWatch | undefined, isTold: boolean | undefined): NotedWatch {
    const { out, once, minInterval } = this.#options
    const at = once ? this.#startedAt : Date.now()
    // The clock may have been set back.
    const isNext = before !== undefined && before.at < at
    const interval = !once ? minInterval : isNext ? at - before.at : before?.interval
    const isSteady = isNext
      ? Math.abs((before.interval ?? Infinity) / (interval ?? 0) - 1) < 0.25
      : before?.isSteady
    const plan = this.#planOf(interval && Math.max(interval, minInterval))
    const name = `${[...this.#states.keys()].join(', ')}${out === undefined ? '' : ` (${out})`}`
    return { name, at, interval, isSteady, isTold: isTold ?? (isSteady && before?.isTold), plan }
  }
}

function timeText(time: number): string {
  return timeOfDay(new Date(time).toISOString())
}
