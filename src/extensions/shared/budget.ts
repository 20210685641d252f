// What users make: a budget whose credits are in a store. `budget-sync.ts` asks it, and `budget-change.ts` says what follows.

import type { Budget, BudgetOutlook, CreditSummary, Reservation } from '../../index.ts'
import {
  type PeriodOptions,
  accountOf,
  addTo,
  clockReason,
  isLow,
  mostOf,
  resolvePeriod,
  rounded,
} from '../../extend.ts'
import { assertOptions, requireOption, milliseconds, nonEmptyText } from '../../errors/check-options.ts'
import { BudgetUnavailableError, CreditBudgetError } from '../../errors/index.ts'
import { within } from '../../lib/abort.ts'
import { count } from '../../lib/count.ts'
import { type Period, periodEnd } from '../../lib/period.ts'
import { messageOf } from '../../lib/thrown.ts'
import { sleep } from '../../lib/time.ts'
import { isTiedToRequests, keepSelf, unproxied } from '../../lib/runtime.ts'
import { type OpenReservation, emptyAccount, remainingOf, reservedOf } from './budget-change.ts'
import { BudgetSync, type Reserved } from './budget-sync.ts'
import { type SharedOptions, sharedNames } from './stored-text.ts'

/** How often to check whether the costs of others are stored, in milliseconds. */
const checkMs = 20

/** Options of a {@link SharedBudget}. */
export interface SharedBudgetOptions extends SharedOptions, PeriodOptions {
  /** The budget's name, the same in all processes that share it. A new name starts a new budget. */
  name: string
  /** Credits for all processes together, in total or in each period. */
  limit: number
  /** Milliseconds after which credits that a dead process reserved count as spent. Default 60,000. */
  lease?: number | undefined
}

/**
 * A limit on credits for all processes that share a store. While the store is unavailable, calls fail before they are sent.
 *
 * @example
 * const budget = new SharedBudget({ store: redisStore(redis), name: 'march', limit: 1000 })
 * const client = new SocialSearch({ baseUrl, apiKey, budget })
 */
export class SharedBudget implements Budget {
  /** Credits for all processes together, in total or in each period. */
  readonly limit: number
  /** A `CreditBudgetError` has it as `error.budget.name`. */
  readonly name: string
  readonly #newSync: () => BudgetSync
  /** One for all calls, but see {@link SharedBudget.#freeSync}. */
  #syncs: readonly BudgetSync[]
  #isClosed = false
  /** Whether a failing store is not tried again. */
  #isStopped = false
  readonly #every: Period | undefined
  readonly #periodAt: (time: number) => string
  /** What the operations of this process have spent in its latest period. */
  #tally: { readonly period: string; readonly by: Readonly<Record<string, number>> } = { period: '', by: {} }

  /**
   * Opens the budget that the store keeps under `name`, or starts it.
   *
   * @throws {ConfigurationError} for invalid options.
   */
  constructor(options: SharedBudgetOptions) {
    keepSelf(this)
    const own = { name: true, limit: true, lease: true, every: true, timeZone: true }
    assertOptions(options, { ...sharedNames, ...own })
    const { limit, lease = 60_000 } = options
    this.name = nonEmptyText('name', options.name)
    this.limit = requireOption(
      limit,
      Number.isFinite(limit) && limit >= 0,
      'limit must be a finite number of at least 0',
    )
    this.#every = options.every
    this.#periodAt = resolvePeriod(options)
    const terms = { limit, leaseMs: milliseconds('lease', lease), periodAt: this.#periodAt }
    this.#newSync = () => new BudgetSync(options, this.name, terms)
    this.#syncs = [this.#newSync()]
  }

  /** In Cloudflare's workers, no call may wait for the request of another: each has a sync to itself, as if it were a process. */
  #freeSync(): BudgetSync {
    const free = this.#liveSyncs().find(({ isIdle }) => isIdle || !isTiedToRequests())
    if (free !== undefined) return free
    const sync = this.#newSync()
    this.#syncs = [...this.#syncs, sync]
    return sync
  }

  #liveSyncs(): readonly BudgetSync[] {
    return (this.#syncs = this.#syncs.filter(({ isCutOff }) => !isCutOff))
  }

  /**
   * Reserves credits of the shared budget.
   *
   * @throws {CreditBudgetError} if fewer remain.
   * @throws {BudgetUnavailableError} if the store is unavailable, or has lost what was spent.
   */
  async reserve(credits: number, operation: string): Promise<Reservation> {
    const self = unproxied(this)
    if (self.#isClosed) throw new BudgetUnavailableError('it is closed', { operation })
    const sync = self.#freeSync()
    const { reservation, low } = await self.#take(sync, credits, operation)
    return {
      low,
      settle: (cost, uncertain = 0) => {
        sync.end(reservation, cost, uncertain)
        self.#addSpent(reservation.period, operation, cost + uncertain)
      },
      renew: async () => {
        if (sync.isIn(reservation.period)) return
        await self.#take(sync, credits, operation, reservation)
        const wait = sync.waitAtEnd()
        if (wait === 0) return
        await sleep(wait)
        await self.#take(sync, credits, operation, reservation)
      },
    }
  }

  /** @param earlier A reservation of the same credits, to move to the current period. */
  async #take(sync: BudgetSync, credits: number, operation: string, earlier?: OpenReservation) {
    const { state, period, reservation } = await this.#request(sync, credits, operation, earlier)
    const { limit, name } = this
    const { spent, uncertain } = accountOf(state, period, emptyAccount)
    const remaining = remainingOf(state, period, limit)
    const most = this.#tally.period === period ? mostOf(this.#tally.by) : undefined
    if (reservation !== null) {
      const low = isLow(limit, spent + uncertain)
        ? { limit, remaining: rounded(remaining + credits), endsAt: this.#endOf(state), most }
        : undefined
      return { reservation, low }
    }
    const left = { needed: credits, remaining, reserved: reservedOf(state, period), most }
    const terms = { name, limit, every: this.#every, resetsAt: this.#endOf(state) ?? undefined }
    throw new CreditBudgetError({ ...left, ...terms }, { operation })
  }

  #addSpent(period: string, operation: string, credits: number): void {
    const { by } = this.#tally.period === period ? this.#tally : { by: {} }
    this.#tally = { period, by: addTo(by, operation, credits) }
  }

  #endOf({ time }: { readonly time: number }): number | null {
    const end = periodEnd(time, this.#periodAt)
    return end === Infinity ? null : end
  }

  /**
   * Returns what all processes have spent and reserved in this period, and when it ends.
   *
   * @throws {BudgetUnavailableError} if the store is unavailable, or has lost what was spent.
   */
  async summary(): Promise<CreditSummary & BudgetOutlook> {
    const self = unproxied(this)
    const { limit } = self
    const { state, period } = await self.#request(self.#freeSync(), null)
    const { spent, uncertain } = accountOf(state, period, emptyAccount)
    return {
      ...{ limit, remaining: remainingOf(state, period, limit), endsAt: self.#endOf(state) },
      ...{ spent, uncertain, reserved: reservedOf(state, period) },
    }
  }

  /**
   * Resolves when the store has the costs of all calls that have ended.
   *
   * @throws {BudgetUnavailableError} if the budget is closed, and the store is still unavailable.
   */
  async flush(): Promise<void> {
    const self = unproxied(this)
    if (isTiedToRequests() && !self.#isStopped) while (self.#unreported > 0) await sleep(checkMs)
    else await Promise.all(self.#syncs.map((sync) => sync.flush())).catch(refuse)
  }

  /** How many calls have ended whose cost the store may not know yet. */
  get #unreported(): number {
    return this.#liveSyncs().reduce((sum, { unreported }) => sum + unreported, 0)
  }

  /**
   * Refuses further calls, and waits like {@link SharedBudget.flush}. Close the clients first: credits that are still
   * reserved become uncertain.
   *
   * @throws {BudgetUnavailableError} if the store does not accept the outcomes within `storeTimeout`; their credits become
   * uncertain.
   */
  async close(): Promise<void> {
    const self = unproxied(this)
    self.#isClosed = true
    const { timeoutMs } = self.#freeSync()
    for (const sync of self.#syncs) sync.isClosed = true
    const late = (): void => {}
    await within(timeoutMs, () => this.flush().catch(late), late)
    self.#isStopped = true
    for (const sync of self.#syncs) sync.stop()
    if (self.#unreported > 0)
      throw new BudgetUnavailableError(`the outcome of ${count(self.#unreported, 'call')} could not be sent`)
  }

  async #request(
    sync: BudgetSync,
    credits: number | null,
    operation?: string,
    earlier?: OpenReservation,
  ): Promise<Reserved> {
    const reply = await sync.request(credits, earlier).catch((error: unknown) => refuse(error, operation))
    const { state, period } = reply
    if (!accountOf(state, period, emptyAccount).isLost) return reply
    const reason = clockReason(state, period)
    const what = this.#endOf(state) === null ? 'use' : 'wait for the next period, or use'
    const hasLost = `the store has lost a part of what was spent; ${what} another budget`
    throw new BudgetUnavailableError(reason ?? hasLost, { operation, temporary: reason !== undefined })
  }
}

function refuse(error: unknown, operation?: string): never {
  throw new BudgetUnavailableError(messageOf(error), { operation, temporary: true })
}
