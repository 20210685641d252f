import { type CreditSummary, type Reservation, rounded } from '../core/credits/account.ts'
import { assertOptions, milliseconds, nonEmptyText, shown } from '../core/lib/assert.ts'
import type { Budget } from '../core/credits/budget.ts'
import { BudgetUnavailableError, ConfigurationError, CreditBudgetError } from '../errors.ts'
import { close, renew, reserve, summarize } from './budget-scripts.ts'
import { type Link, reasonOf } from './link.ts'
import { type RedisOptions, redisNames, resolveRedis } from './options.ts'
import { Outbox } from './outbox.ts'

/** How a fleet of processes shares a budget. */
export interface RedisBudgetOptions extends RedisOptions {
  /** What stands for the budget: the same for all who share it, and another one for a new budget. Redis sees a hash of it. */
  name: string
  /** Credits that may be spent in all before this process is refused; the same for all who share the budget. */
  limit: number
  /** How long the credits of a process that has died stay reserved before they count as uncertain, in milliseconds. Default 60,000. */
  leaseMs?: number | undefined
}

const names: Record<keyof RedisBudgetOptions, true> = {
  ...redisNames,
  ...{ name: true, limit: true, leaseMs: true },
}

/** Refused reservations that are taken back in case that Redis has made them; what is beyond becomes uncertain. */
const mostUnsaid = 1000

/** How long {@link RedisBudget.close} waits for Redis, in milliseconds. */
const closeMs = 10_000

/**
 * A ceiling on credits for all processes that share a Redis. Where Redis cannot be asked, calls are refused before
 * anything is sent. What became of a reservation is told until Redis has understood it.
 */
export class RedisBudget implements Budget {
  /** Credits that may be spent in all. */
  readonly limit: number
  readonly #link: Link
  readonly #base: Promise<string>
  readonly #leaseMs: number
  readonly #open = new Set<string>()
  readonly #outbox: Outbox<[entry: string, spent: number, uncertain: number]>
  #beat: ReturnType<typeof setTimeout> | undefined
  /** Whether Redis is known to have the budget. */
  #known = false
  #closed = false

  /**
   * A ceiling on the credits of a fleet, as it stands in Redis under `name`.
   *
   * @throws {ConfigurationError} for options that cannot work.
   */
  constructor(options: RedisBudgetOptions) {
    assertOptions(options, names)
    const { name, limit, leaseMs = 60_000 } = options
    nonEmptyText('name', name)
    if (!Number.isFinite(limit) || limit < 0) {
      throw new ConfigurationError(`limit must be a number of at least 0, got ${shown(limit)}`)
    }
    this.limit = limit
    this.#leaseMs = milliseconds('leaseMs', leaseMs)
    const { link, base, log } = resolveRedis(options, name)
    this.#link = link
    this.#base = base
    this.#outbox = new Outbox((item) => this.#run(close, item), log)
  }

  /**
   * Sets credits aside, for all who share the budget.
   *
   * @throws {CreditBudgetError} if fewer remain.
   * @throws {BudgetUnavailableError} if Redis cannot be asked, or has lost the budget.
   */
  async reserve(credits: number, operation: string): Promise<Reservation> {
    if (this.#closed) throw new BudgetUnavailableError('it is closed', { operation })
    const entry = `${credits} ${crypto.randomUUID()}`
    const takeBack = (): void => {
      if (this.#outbox.length < mostUnsaid) this.#outbox.add([entry, 0, 0])
    }
    let reply: unknown
    try {
      reply = await this.#run(reserve, [entry, this.limit, this.#leaseMs, this.#known ? 1 : 0], takeBack)
    } catch (error) {
      takeBack()
      throw new BudgetUnavailableError(reasonOf(error), { operation })
    }
    const [outcome, remaining] = (reply as unknown[]).map(String)
    if (outcome === 'lost') throw new BudgetUnavailableError('redis has lost it', { operation })
    this.#known = true
    if (outcome === 'refused') {
      throw new CreditBudgetError({ needed: credits, remaining: Number(remaining) }, { operation })
    }
    this.#open.add(entry)
    this.#keepAlive()
    const end = (spent: number, uncertain: number): void => {
      if (!this.#open.delete(entry)) return
      if (this.#open.size === 0) this.#rest()
      this.#outbox.add([entry, spent, uncertain])
    }
    return {
      settle: (cost, uncertain = 0) => end(cost, uncertain),
      release: () => end(0, 0),
      doubt: () => end(0, credits),
    }
  }

  /**
   * What all who share the budget have spent and set aside.
   *
   * @throws {BudgetUnavailableError} if Redis cannot be asked.
   */
  async summary(): Promise<CreditSummary & { limit: number; remaining: number }> {
    const { limit } = this
    try {
      const reply = (await this.#run(summarize, [])) as unknown[]
      const [spent = 0, uncertain = 0, reserved = 0] = reply.map((sum) => Number(String(sum)))
      const remaining = Math.max(0, rounded(limit - spent - uncertain - reserved))
      return { limit, remaining, spent, uncertain, reserved }
    } catch (error) {
      throw new BudgetUnavailableError(reasonOf(error))
    }
  }

  /** Resolves when Redis has understood what became of every reservation that has ended so far. */
  flush(): Promise<void> {
    return this.#outbox.flush()
  }

  /**
   * Refuses further calls, and waits like {@link RedisBudget.flush}. Close the clients first: what is still reserved
   * becomes uncertain.
   *
   * @throws {BudgetUnavailableError} if Redis cannot be told within 10 s; what it does not know becomes uncertain.
   */
  async close(): Promise<void> {
    this.#closed = true
    this.#rest()
    const timer = setTimeout(() => this.#outbox.stop(), closeMs)
    await this.#outbox.flush()
    clearTimeout(timer)
    const { length } = this.#outbox
    if (length > 0) throw new BudgetUnavailableError(`the outcome of ${length} calls could not be told`)
  }

  async #run(
    script: string,
    args: readonly (string | number)[],
    late?: (reply: unknown) => void,
  ): Promise<unknown> {
    const base = await this.#base
    const keys = ['sums', 'open', 'lost', 'told'].map((name) => `${base}:budget:${name}`)
    return this.#link.run(script, keys, args.map(String), late)
  }

  #keepAlive(): void {
    if (this.#closed || this.#open.size === 0) return
    this.#beat ??= setTimeout(() => {
      this.#beat = undefined
      // Where it fails, the next time will do as well.
      this.#run(renew, [this.#leaseMs, ...this.#open]).catch(() => {})
      this.#keepAlive()
    }, this.#leaseMs / 3)
  }

  #rest(): void {
    clearTimeout(this.#beat)
    this.#beat = undefined
  }
}
