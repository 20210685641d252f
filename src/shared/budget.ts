import {
  type Budget,
  type CreditSummary,
  type PeriodOptions,
  type Reservation,
  resolvePeriod,
} from '../core/credits/budget.ts'
import { assertOptions, checked, milliseconds, nonEmptyText } from '../errors/check-options.ts'
import { BudgetUnavailableError, CreditBudgetError } from '../errors/index.ts'
import {
  type BudgetReport,
  type BudgetState,
  type BudgetTerms,
  type BudgetUpdate,
  type Spent,
  changeBudget,
  remainingOf,
  reservedOf,
} from './budget-state.ts'
import { within } from '../lib/abort.ts'
import { deferred } from '../lib/deferred.ts'
import { type Reading, SharedClock } from './clock.ts'
import { type ResolvedShared, type SharedOptions, resolveShared, sharedNames } from './options.ts'
import { type ChangeText, randomId, reasonOf } from './store.ts'

/** Options of a {@link SharedBudget}. */
export interface SharedBudgetOptions extends SharedOptions, PeriodOptions {
  /** The budget's name: the same for all processes that share it, a new one for a new budget. The store gets a hash of it. */
  name: string
  /** Credits that all processes together may spend, in all or `every` period. Pass the same options to all processes. */
  limit: number
  /** When a process dies, its reserved credits become uncertain after this time, in milliseconds. Default 60,000. */
  lease?: number | undefined
}

const names: Record<keyof SharedBudgetOptions, true> = {
  ...sharedNames,
  ...{ name: true, limit: true, lease: true, every: true, timeZone: true },
}

const hasLost = 'the store has lost a part of what was spent; use a budget with a new name'

/** Shortest and longest time between two attempts to tell outcomes, in milliseconds. */
const firstRetryMs = 250
const lastRetryMs = 5000

/** How long {@link SharedBudget.close} waits for the store, in milliseconds. */
const closeMs = 10_000

/** A reservation until the store knows its outcome. */
interface OpenReservation {
  readonly credits: number
  readonly period: string
  outcome?: Spent
  /** The report that tells the outcome. */
  report?: number
}

interface Ask {
  /** Credits to reserve; null for a summary. */
  readonly credits: number | null
  readonly settle: (state: BudgetState, reservation: OpenReservation | null) => void
  readonly fail: (error: unknown) => void
}

/**
 * A credit limit for all processes that share a store. While the store is unavailable, calls are refused before anything
 * is sent. The outcome of a reservation is sent until the store has accepted it.
 *
 * @example
 * const budget = new SharedBudget({ store: redisStore(redis), name: 'march', limit: 1000 })
 * const client = new SocialSearch({ baseUrl, apiKey, budget })
 */
export class SharedBudget implements Budget {
  /** Credits that all processes together may spend, in all or in each period. */
  readonly limit: number
  /** The `budget` of its errors. */
  readonly name: string
  readonly #terms: BudgetTerms
  readonly #shared: ResolvedShared
  readonly #clock: SharedClock
  #id = ''
  #seen: BudgetState | undefined
  readonly #open = new Set<OpenReservation>()
  #asks: Ask[] = []
  /** The number of the latest report. */
  #report = 0
  #isDue = false
  #isUnavailable = false
  #isClosed = false
  #isStopped = false
  #retryMs = firstRetryMs
  #running: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #told = deferred()

  /**
   * Opens the budget that the store keeps under `name`, or starts it.
   *
   * @throws {ConfigurationError} for invalid options.
   */
  constructor(options: SharedBudgetOptions) {
    assertOptions(options, names)
    const { limit, lease = 60_000 } = options
    this.name = nonEmptyText('name', options.name)
    this.limit = checked(limit, Number.isFinite(limit) && limit >= 0, 'limit must be a number of at least 0')
    this.#terms = { limit, leaseMs: milliseconds('lease', lease), periodAt: resolvePeriod(options) }
    // The number changes with the text.
    this.#shared = resolveShared(options, 'budget-1', this.name)
    this.#clock = new SharedClock(this.#shared.log)
  }

  /**
   * Reserves credits of the shared budget.
   *
   * @throws {CreditBudgetError} if fewer remain.
   * @throws {BudgetUnavailableError} if the store is unavailable, or has lost what was spent.
   */
  async reserve(credits: number, operation: string): Promise<Reservation> {
    if (this.#isClosed) throw new BudgetUnavailableError('it is closed', { operation })
    const [state, reservation] = await this.#ask(credits, operation)
    if (reservation === null) {
      const details = { needed: credits, remaining: remainingOf(state, this.limit), budget: this.name }
      throw new CreditBudgetError(details, { operation })
    }
    const end = (spent: number, uncertain: number): void => {
      if (reservation.outcome !== undefined) return
      reservation.outcome = { period: reservation.period, spent, uncertain }
      this.#touch()
    }
    return {
      settle: (cost, uncertain = 0) => end(cost, uncertain),
      release: () => end(0, 0),
      doubt: () => end(0, credits),
    }
  }

  /**
   * Returns what all processes have spent and reserved, in this period if there is one.
   *
   * @throws {BudgetUnavailableError} if the store is unavailable, or has lost what was spent.
   */
  async summary(): Promise<CreditSummary & { limit: number; remaining: number }> {
    const { limit } = this
    const [state] = await this.#ask(null)
    const { spent, uncertain } = state
    return { limit, remaining: remainingOf(state, limit), spent, uncertain, reserved: reservedOf(state) }
  }

  /** Resolves when the store has accepted the outcome of every reservation that has ended so far. */
  async flush(): Promise<void> {
    const ended = this.#ended()
    while (ended.some((reservation) => this.#open.has(reservation))) await this.#told.promise
  }

  /**
   * Refuses further calls, and waits like {@link SharedBudget.flush}. Close the clients first: credits that are still
   * reserved become uncertain.
   *
   * @throws {BudgetUnavailableError} if the store does not accept the outcomes within 10 s; their credits become uncertain.
   */
  async close(): Promise<void> {
    this.#isClosed = true
    await within(
      closeMs,
      () => this.flush(),
      () => {},
    )
    this.#isStopped = true
    clearTimeout(this.#timer)
    const { length } = this.#ended()
    if (length > 0) throw new BudgetUnavailableError(`the outcome of ${length} calls could not be sent`)
  }

  #ended(): OpenReservation[] {
    return [...this.#open].filter(({ outcome }) => outcome !== undefined)
  }

  async #ask(
    credits: number | null,
    operation?: string,
  ): Promise<[state: BudgetState, reservation: OpenReservation | null]> {
    const details = operation === undefined ? {} : { operation }
    const reply = await new Promise<[BudgetState, OpenReservation | null]>((resolve, fail) => {
      this.#asks.push({ credits, settle: (...reply) => resolve(reply), fail })
      this.#touch()
    }).catch((error: unknown) => {
      throw new BudgetUnavailableError(reasonOf(error), details)
    })
    if (reply[0].isLost) throw new BudgetUnavailableError(hasLost, details)
    return reply
  }

  #touch(): void {
    this.#isDue = true
    this.#running ??= this.#run()
  }

  /** Updates the state, one time after the other, each with all that has happened until then. */
  async #run(): Promise<void> {
    await Promise.resolve()
    while (this.#isDue) {
      this.#isDue = false
      const asks = this.#asks.splice(0)
      try {
        await this.#update(asks)
        if (this.#isUnavailable) this.#shared.log('info', 'the shared store is available again', {})
        this.#isUnavailable = false
      } catch (error) {
        if (!this.#isUnavailable)
          this.#shared.log('warn', 'the shared store is unavailable', { reason: reasonOf(error) })
        if (!this.#isUnavailable) this.#retryMs = firstRetryMs
        this.#isUnavailable = true
        for (const { fail } of asks) fail(error)
        break
      }
    }
    this.#running = undefined
    this.#schedule()
  }

  async #update(asks: readonly Ask[]): Promise<void> {
    this.#id ||= randomId()
    const { key, store } = this.#shared
    // A report that may have arrived is sent again as it was.
    const ended = this.#ended()
    const isNew = ended.every(({ report }) => report === undefined)
    if (isNew && ended.length > 0) this.#report++
    const told = isNew ? ended : ended.filter(({ report }) => report !== undefined)
    for (const reservation of told) reservation.report = this.#report
    const report: BudgetReport = {
      ...{ process: this.#id, number: this.#report },
      outcomes: told.flatMap(({ outcome }) => outcome ?? []),
      reserved: (period) => {
        const others = [...this.#open].filter((each) => !told.includes(each) && each.period === period)
        return others.reduce((sum, { credits }) => sum + credits, 0)
      },
      asks: asks.map(({ credits }) => credits),
    }
    const change: ChangeText<{ update: BudgetUpdate; reading: Reading }> = (text, clock, readAt) => {
      const receivedAt = performance.now()
      const seen = { state: this.#seen, bounds: this.#clock.bounds(readAt, receivedAt) }
      const update = changeBudget(text, clock, seen, report, this.#terms, randomId())
      const { epoch, time } = update.state
      const result = { update, reading: { epoch, time, clock, readAt, receivedAt } }
      return { value: JSON.stringify(update.state), result }
    }
    const { update, reading } = await store.update(await key(), change)
    const { state, granted } = update
    this.#seen = state
    this.#clock.observe(reading)
    for (const reservation of told) this.#open.delete(reservation)
    asks.forEach((ask, i) => {
      const isGranted = granted[i] === true && ask.credits !== null
      const reservation = isGranted ? { credits: ask.credits, period: state.period } : null
      if (reservation !== null) this.#open.add(reservation)
      // What was reserved for calls that have ended meanwhile may come back.
      if (granted[i] === false && !state.isLost && this.#ended().length > 0) this.#asks.push(ask)
      else ask.settle(state, reservation)
    })
    if (this.#ended().length > 0 || this.#asks.length > 0) this.#isDue = true
    const { resolve } = this.#told
    this.#told = deferred()
    resolve()
  }

  /** Tells outcomes again, or renews reservations. */
  #schedule(): void {
    clearTimeout(this.#timer)
    const { leaseMs } = this.#terms
    const isDone = this.#open.size === 0 || this.#isClosed
    if (this.#isStopped || (!this.#isUnavailable && isDone)) return
    this.#timer = setTimeout(() => this.#touch(), this.#isUnavailable ? this.#retryMs : leaseMs / 3)
    if (this.#isUnavailable) this.#retryMs = Math.min(this.#retryMs * 2, lastRetryMs)
  }
}
