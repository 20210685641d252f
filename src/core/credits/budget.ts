import { BudgetUnavailableError, ConfigurationError, CreditBudgetError } from '../../errors/index.ts'
import { assertOptions, describeValue, describeWord, nonEmptyText } from '../../errors/check-options.ts'
import { type Period, periodAt, periodEnd, waitAtEnd } from '../../lib/period.ts'
import { sleep } from '../../lib/time.ts'
import { printAs } from '../../lib/print.ts'
import { keepSelf, unproxied } from '../../lib/runtime.ts'
import { isMarked } from '../../lib/thrown.ts'

/** Credits of a client, an operation or a budget. */
export interface CreditSummary {
  /** Credits spent. */
  spent: number
  /** Credits that may have been charged. */
  uncertain: number
  /** Credits reserved for calls in progress. */
  reserved: number
}

/** Credits reserved for one request. */
export interface Reservation {
  /**
   * The request cost `credits`, 0 if it was not charged, and perhaps `uncertain` more. Only the first call counts. The client
   * logs what it throws.
   */
  settle(credits: number, uncertain?: number): void
  /**
   * The request is about to be sent, perhaps long after `reserve`. A budget with a period moves the credits to the current one,
   * and waits for the next one in the last moment of a period. Throws or rejects to refuse, like `reserve`.
   */
  renew?(): void | Promise<void>
  /** What was left before it, if four fifths of the limit are spent: the client warns of it, once a period. */
  readonly low?: BudgetOutlook | undefined
}

/** What is left of a budget, and until when it must last. */
export interface BudgetOutlook {
  /** Credits that may be spent in total, or in each period. */
  limit: number
  /** Credits left for further calls. */
  remaining: number
  /** When the budget resets, in milliseconds since 1970; null if it never does. */
  endsAt: number | null
  /** The operation that has spent most, as far as this process knows. */
  most?: string | undefined
}

/** Whether so little is left of a budget that its users are told. */
export function isLow(limit: number, used: number): boolean {
  return used >= 0.8 * limit
}

/** A budget that a call has for itself, of which nobody is told. */
export const untold: unique symbol = Symbol.for('social-search-sdk untold budget 1')

/** A limit on credits. Each call reserves its maximum cost, and reports its actual cost afterward. */
export interface Budget {
  /** Reserves credits. Throws or rejects to refuse: with a {@link CreditBudgetError} if too few remain. */
  reserve(credits: number, operation: string): Reservation | Promise<Reservation>
  /** What is left until when. A watch spreads it over the period. */
  summary?(): BudgetOutlook | Promise<BudgetOutlook>
}

/** The period of a budget. */
export interface PeriodOptions {
  /**
   * Resets the budget every `hour`, `day` or `month`. A call counts in the period in which it is sent. Default: never.
   */
  every?: Period | undefined
  /** The time zone of the period, such as `Europe/Paris`. Default UTC. */
  timeZone?: string | undefined
}

/** Options of a {@link CreditBudget}. */
export interface CreditBudgetOptions extends PeriodOptions {
  /** A name, which a `CreditBudgetError` has as `error.budget.name`. */
  name?: string | undefined
}

/**
 * Names the period of a time, in milliseconds since 1970; an empty text without `every`.
 *
 * @throws {ConfigurationError}
 */
export function resolvePeriod({ every, timeZone }: PeriodOptions): (time: number) => string {
  if (every !== undefined && !['hour', 'day', 'month'].includes(every))
    throw new ConfigurationError(`\`every\` must be 'hour', 'day' or 'month', got ${describeWord(every)}`)
  if (timeZone !== undefined) {
    if (every === undefined) throw new ConfigurationError('timeZone needs every')
    try {
      periodAt(0, every, timeZone)
    } catch {
      throw new ConfigurationError(
        `timeZone must be a name such as Europe/Paris, got ${describeWord(timeZone)}`,
      )
    }
  }
  return (time) => (every === undefined ? '' : periodAt(time, every, timeZone))
}

/** Known to every copy of the package in the process. The number changes with what a budget of this class can do. */
const brand: unique symbol = Symbol.for('social-search-sdk credit budget 1')

/** Whether a budget says at once what is left of it, of whatever copy of the package. */
export function isCreditBudget(value: unknown): value is CreditBudget {
  return isMarked(value, brand)
}

/**
 * A limit on credits for one or more calls or clients. A call that could exceed it fails with a `CreditBudgetError` and is never sent,
 * even when many calls run at once. Credits that may have been charged count as spent.
 *
 * @example
 * const budget = new CreditBudget(100)
 * await client.microblog.search({ query }, { budget })
 * console.log(budget.remaining) // 98
 *
 * const daily = new CreditBudget(500, { every: 'day', timeZone: 'Europe/Paris' })
 */
export class CreditBudget implements Budget {
  /** Credits that may be spent in total, or in each period. */
  readonly limit: number
  /** A `CreditBudgetError` has it as `error.budget.name`. */
  readonly name: string | undefined
  readonly #every: Period | undefined
  readonly #periodAt: (time: number) => string
  readonly #book: PeriodBook<Account> = { accounts: {}, forgotten: '' }

  /**
   * A limit on credits, to share.
   *
   * @param limit Credits, a number of at least 0; `Infinity` only counts.
   * @throws {ConfigurationError} for an invalid limit or option.
   */
  constructor(limit: number, options: CreditBudgetOptions = {}) {
    keepSelf(this)
    // In its prototype, it would keep bundlers from leaving the class out.
    Object.defineProperty(this, brand, { value: true })
    assertOptions(options, { every: true, timeZone: true, name: true })
    // Not `limit < 0`, which is false for NaN.
    if (typeof limit !== 'number' || !(limit >= 0)) {
      throw new ConfigurationError(
        `a credit budget must be a number of at least 0, got ${describeValue(limit)}`,
      )
    }
    this.limit = limit
    this.name = options.name === undefined ? undefined : nonEmptyText('name', options.name)
    this.#every = options.every
    this.#periodAt = resolvePeriod(options)
    printAs(this, 'CreditBudget', () => {
      const { remaining, endsAt } = this.summary()
      const period = endsAt !== null && { every: options.every, resetsAt: new Date(endsAt) }
      return { ...(this.name && { name: this.name }), limit, remaining, ...period }
    })
  }

  /**
   * The time that everything in one decision is about: a second look at the clock may show another period. Without periods, no
   * clock is read: frameworks that prerender refuse it before a request for data.
   */
  get #now(): number {
    return this.#every === undefined ? 0 : Date.now()
  }

  #accountAt(time: number): Account {
    return accountOf(this.#book, this.#periodAt(time), emptyAccount)
  }

  /** Credits left for further calls. */
  get remaining(): number {
    const self = unproxied(this)
    return self.#remainingOf(self.#accountAt(self.#now))
  }

  #remainingOf({ spent, uncertain, reserved, isLost }: Account): number {
    return isLost ? 0 : Math.max(0, rounded(this.limit - spent - uncertain - reserved))
  }

  /**
   * Reserves credits.
   *
   * @throws {CreditBudgetError} if fewer remain.
   * @throws {BudgetUnavailableError} if the clock was set back, to a period before those that the budget knows.
   */
  reserve(credits: number, operation: string): Reservation {
    const self = unproxied(this)
    const now = self.#now
    let period = self.#periodAt(now)
    const { spent, uncertain } = self.#accountAt(now)
    const low = isLow(self.limit, spent + uncertain) ? self.#summaryAt(now) : undefined
    let account = self.#take(credits, operation, now)
    let isOpen = true
    return {
      low,
      settle: (cost, uncertain = 0) => {
        if (!isOpen) return
        isOpen = false
        settle(account, credits, cost, uncertain)
        account.by = addTo(account.by, operation, cost + uncertain)
      },
      renew: async () => {
        if (self.#every === undefined) return
        await sleep(waitAtEnd(Date.now(), self.#periodAt))
        const now = self.#now
        const current = self.#periodAt(now)
        if (!isOpen || current === period) return
        const next = self.#take(credits, operation, now)
        account.reserved -= credits
        period = current
        account = next
      },
    }
  }

  /** Reserves credits in the account of the period of a time. */
  #take(credits: number, operation: string, time: number): Account {
    const period = this.#periodAt(time)
    const account = this.#accountAt(time)
    keepAccount(this.#book, period, account)
    if (account.isLost)
      throw new BudgetUnavailableError(clockReason(this.#book, period) ?? '', { operation, temporary: true })
    if (credits > this.#remainingOf(account)) {
      const { limit, remaining, reserved, endsAt, most } = this.#summaryAt(time)
      const terms = { name: this.name, limit, every: this.#every, resetsAt: endsAt ?? undefined, most }
      throw new CreditBudgetError({ needed: credits, remaining, reserved, ...terms }, { operation })
    }
    account.reserved += credits
    return account
  }

  /** Returns what is spent, reserved and left, what has spent most, and when the period ends. */
  summary(): CreditSummary & BudgetOutlook {
    const self = unproxied(this)
    return self.#summaryAt(self.#now)
  }

  #summaryAt(time: number): CreditSummary & BudgetOutlook {
    const account = this.#accountAt(time)
    const remaining = this.#remainingOf(account)
    const endsAt = this.#every === undefined ? null : periodEnd(time, this.#periodAt)
    return { limit: this.limit, remaining, ...roundedSummary(account), endsAt, most: mostOf(account.by) }
  }
}

/** Credits by operation, or by another name. */
type Tally = Readonly<Record<string, number>>

interface Account extends CreditSummary {
  isLost: boolean
  by: Tally
}

const emptyAccount: Account = { spent: 0, uncertain: 0, reserved: 0, isLost: false, by: {} }

export function addTo(tally: Tally, name: string, credits: number): Tally {
  // A name may be one that objects have, such as `constructor`.
  const before = Object.hasOwn(tally, name) ? (tally[name] ?? 0) : 0
  return credits > 0 ? { ...tally, [name]: before + credits } : tally
}

/** The operation that has spent most. */
export function mostOf(tally: Tally): string | undefined {
  const [most] = Object.entries(tally).sort(([, one], [, other]) => other - one)
  return most?.[0]
}

/** Replaces what was reserved for a request by what it has cost. */
export function settle(account: CreditSummary, reserved: number, spent: number, uncertain: number): void {
  account.reserved -= reserved
  account.spent += spent
  account.uncertain += uncertain
}

/** Rounds away floating-point errors, which would add up. */
export function rounded(credits: number): number {
  return Math.round(credits * 1e6) / 1e6
}

function roundedSummary({ spent, uncertain, reserved }: CreditSummary): CreditSummary {
  return { spent: rounded(spent), uncertain: rounded(uncertain), reserved: rounded(reserved) }
}

/** How many periods a budget remembers: with days, more than a month. */
const rememberedPeriods = 40

/** What a budget keeps for one of its periods. */
export interface PeriodAccount {
  /** What was spent is unknown, so nothing more may be. */
  isLost: boolean
}

/**
 * What a budget keeps for each period, by its name. No clock is trusted: each period has its own credits, whenever a clock shows it
 * again.
 */
export interface PeriodBook<Account extends PeriodAccount> {
  accounts: Record<string, Account>
  /** The latest period that it has forgotten; empty if it remembers all. */
  forgotten: string
}

/** The account of a period, which {@link keepAccount} keeps once something counts in it. */
export function accountOf<Account extends PeriodAccount>(
  { accounts, forgotten }: PeriodBook<Account>,
  period: string,
  empty: Account,
): Account {
  const known = accounts[period]
  if (known !== undefined) return known
  const names = Object.keys(accounts)
  const isForgotten = forgotten !== '' && period <= forgotten
  // One of two clocks was wrong: either credits of this period are in a later one, or it has passed long ago.
  const isEarlierThanAll =
    forgotten === '' && names.length > 0 && names.every((name) => isLater(name, period))
  return { ...empty, isLost: isForgotten || isEarlierThanAll }
}

export function keepAccount<Account extends PeriodAccount>(
  book: PeriodBook<Account>,
  period: string,
  account: Account,
): void {
  if (book.accounts[period] === account || (period !== '' && period <= book.forgotten)) return
  book.accounts[period] = account
  const names = Object.keys(book.accounts).sort()
  // Later ones stay: a clock that is ahead for a while must take neither this period nor those to come.
  const tooMany = names
    .slice(0, Math.max(0, names.length - rememberedPeriods))
    .filter((name) => name < period)
  const last = tooMany.at(-1)
  if (last === undefined) return
  book.forgotten = last
  book.accounts = Object.fromEntries(Object.entries(book.accounts).filter(([name]) => name > last))
}

/** Why a budget refuses the period that its clock shows; undefined if that does not come from the clock. */
export function clockReason<Account extends PeriodAccount>(
  { accounts, forgotten }: PeriodBook<Account>,
  period: string,
): string | undefined {
  const later = [forgotten, ...Object.keys(accounts).sort()].find((name) => isLater(name, period))
  if (later === undefined) return undefined
  return `the clock shows ${period}, but this budget was used in ${later} before; set the clock right, or wait for the next period`
}

/** Names of a month, a day and an hour differ in length: the budget may have had another `every` before. */
function isLater(name: string, period: string): boolean {
  return name.length === period.length && name > period
}

/** What a client's calls have cost, in credits. */
export interface Credits extends CreditSummary {
  /** Credits that the cache has saved. */
  saved: number
  /** The same for each operation, by id. */
  byOperation: Record<string, CreditSummary>
}

/** What the calls of a client have cost. @param ledger By operation. @param saved By a cache. */
export function creditsIn(ledger: ReadonlyMap<string, CreditSummary>, saved = 0): Credits {
  const total = { spent: 0, uncertain: 0, reserved: 0 }
  const byOperation: Credits['byOperation'] = {}
  for (const [operation, account] of ledger) {
    const summary = (byOperation[operation] = roundedSummary(account))
    for (const name of ['spent', 'uncertain', 'reserved'] as const) total[name] += summary[name]
  }
  return { ...roundedSummary(total), saved: rounded(saved), byOperation }
}
