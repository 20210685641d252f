import {
  type Budget,
  type CreditSummary,
  type PeriodOptions,
  type Reservation,
  resolvePeriod,
  rounded,
} from '../core/credits/budget.ts'
import { assertOptions, checked, milliseconds, nonEmptyText } from '../errors/check-options.ts'
import { BudgetUnavailableError, CreditBudgetError } from '../errors/index.ts'
import { close, renew, reserve, summarize } from './budget-scripts.ts'
import { RedisClock } from './clock.ts'
import { type Args, type ScriptRunner, reasonOf } from './script-runner.ts'
import { type RedisOptions, redisNames, resolveRedis } from './options.ts'
import { Outbox } from './outbox.ts'

/** Options of a {@link RedisBudget}. */
export interface RedisBudgetOptions extends RedisOptions, PeriodOptions {
  /** The budget's name: the same for all processes that share it, a new one for a new budget. Redis sees a hash of it. */
  name: string
  /** Credits that all processes together may spend, in all or `every` period. Pass the same options to all processes. */
  limit: number
  /** When a process dies, its reserved credits become uncertain after this time, in milliseconds. Default 60,000. */
  lease?: number | undefined
}

const names: Record<keyof RedisBudgetOptions, true> = {
  ...redisNames,
  name: true,
  limit: true,
  lease: true,
  every: true,
  timeZone: true,
}

/** Failed reservations to cancel later, in case Redis made them after all; any beyond this become uncertain. */
const maxUnsent = 1000

const hasLost = 'redis has lost a part of what was spent; use a budget with a new name'

/** What a script returns beside the state of the budget. */
interface Reply {
  readonly outcome: string
  readonly rest: readonly string[]
}

/** How long {@link RedisBudget.close} waits for Redis, in milliseconds. */
const closeMs = 10_000

/**
 * A credit limit for all processes that share a Redis. While Redis is unreachable, calls are refused before anything is
 * sent. The outcome of a reservation is sent until Redis has accepted it.
 *
 * @example
 * const budget = new RedisBudget({ client: redis, name: 'march', limit: 1000 })
 * const client = new SocialSearch({ baseUrl, apiKey, budget })
 */
export class RedisBudget implements Budget {
  /** Credits that all processes together may spend, in all or in each period. */
  readonly limit: number
  /** The `budget` of its errors. */
  readonly name: string
  readonly #periodAt: (time: number) => string
  readonly #scripts: ScriptRunner
  readonly #base: Promise<string>
  readonly #leaseMs: number
  readonly #open = new Set<string>()
  readonly #outbox: Outbox<[entry: string, spent: number, uncertain: number]>
  #renewTimer: ReturnType<typeof setInterval> | undefined
  /** The latest state of the budget that Redis has told this process. If Redis knows less, it has lost something. */
  readonly #known = { epoch: '', count: 0 }
  readonly #clock: RedisClock
  #closed = false

  /**
   * Opens the budget that Redis keeps under `name`, or starts it.
   *
   * @throws {ConfigurationError} for invalid options.
   */
  constructor(options: RedisBudgetOptions) {
    assertOptions(options, names)
    const { name, limit, lease = 60_000 } = options
    this.name = nonEmptyText('name', name)
    this.#periodAt = resolvePeriod(options)
    this.limit = checked(limit, Number.isFinite(limit) && limit >= 0, 'limit must be a number of at least 0')
    this.#leaseMs = milliseconds('lease', lease)
    const { scripts, base, log } = resolveRedis(options, name)
    this.#scripts = scripts
    this.#base = base
    this.#clock = new RedisClock(log)
    this.#outbox = new Outbox((item) => this.#run(close, item), log)
  }

  /**
   * Reserves credits of the shared budget.
   *
   * @throws {CreditBudgetError} if fewer remain.
   * @throws {BudgetUnavailableError} if Redis is unreachable, has lost what was spent, or does not know yet what calls of
   * this process have cost.
   */
  async reserve(credits: number, operation: string): Promise<Reservation> {
    if (this.#closed) throw new BudgetUnavailableError('it is closed', { operation })
    const id = `${credits} ${crypto.randomUUID()}`
    let entry = id
    const attempt = (period: string): Promise<Reply> => {
      entry = `${id} ${period}`.trimEnd()
      const deadline = performance.now() + this.#clock.lead + this.#scripts.timeoutMs
      return this.#run(reserve, [entry, this.limit, this.#leaseMs, deadline, period])
    }
    let reply: Reply
    try {
      reply = await attempt(await this.#period())
      // The reply came in time, so the clock of Redis has jumped.
      if (reply.outcome === 'late') reply = await attempt(await this.#period())
      if (reply.outcome === 'over') reply = await attempt(reply.rest[0] ?? '')
    } catch (error) {
      // Redis may have made the reservation.
      if (this.#outbox.length < maxUnsent) this.#outbox.add([entry, 0, 0])
      throw new BudgetUnavailableError(reasonOf(error), { operation })
    }
    const { outcome, rest } = reply
    if (outcome === 'lost') throw new BudgetUnavailableError(hasLost, { operation })
    if (outcome === 'late' || outcome === 'over')
      throw new BudgetUnavailableError('redis replied too late', { operation })
    if (outcome === 'refused') {
      // What these calls had reserved may come back.
      if (this.#outbox.isBehind) {
        throw new BudgetUnavailableError(`redis lacks the outcome of ${this.#outbox.length} calls`, {
          operation,
        })
      }
      const details = { needed: credits, remaining: Number(rest[0]), budget: this.name }
      throw new CreditBudgetError(details, { operation })
    }
    this.#open.add(entry)
    this.#startRenewing()
    const end = (spent: number, uncertain: number): void => {
      if (!this.#open.delete(entry)) return
      if (this.#open.size === 0) this.#stopRenewing()
      this.#outbox.add([entry, spent, uncertain])
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
   * @throws {BudgetUnavailableError} if Redis is unreachable, or has lost what was spent.
   */
  async summary(): Promise<CreditSummary & { limit: number; remaining: number }> {
    const { limit } = this
    let reply: Reply
    try {
      reply = await this.#run(summarize, [await this.#period()])
    } catch (error) {
      throw new BudgetUnavailableError(reasonOf(error))
    }
    if (reply.outcome === 'lost') throw new BudgetUnavailableError(hasLost)
    const [spent = 0, uncertain = 0, reserved = 0] = reply.rest.map(Number)
    const remaining = Math.max(0, rounded(limit - spent - uncertain - reserved))
    return { limit, remaining, spent, uncertain, reserved }
  }

  /** Resolves when Redis has accepted the outcome of every reservation that has ended so far. */
  flush(): Promise<void> {
    return this.#outbox.flush()
  }

  /**
   * Refuses further calls, and waits like {@link RedisBudget.flush}. Close the clients first: credits that are still
   * reserved become uncertain.
   *
   * @throws {BudgetUnavailableError} if Redis does not accept the outcomes within 10 s; their credits become uncertain.
   */
  async close(): Promise<void> {
    this.#closed = true
    this.#stopRenewing()
    const timer = setTimeout(() => this.#outbox.stop(), closeMs)
    await this.#outbox.flush()
    clearTimeout(timer)
    const { length } = this.#outbox
    if (length > 0) throw new BudgetUnavailableError(`the outcome of ${length} calls could not be sent`)
  }

  /** The period by the time of Redis. */
  async #period(): Promise<string> {
    if (this.#clock.lead === Infinity) await this.#run(summarize, [''])
    return this.#periodAt(this.#clock.bounds()[0])
  }

  async #run(script: string, args: Args): Promise<Reply> {
    const base = await this.#base
    const keys = ['sums', 'open', 'lost', 'told'].map((name) => `${base}:budget:${name}`)
    const { epoch, count } = this.#known
    const sentAt = performance.now()
    const all = [epoch, ...this.#clock.bounds(), count, ...args].map(String)
    const reply = (await this.#scripts.run(script, keys, all)) as unknown[]
    const [outcome = '', time, clock, epochNow = '', countNow, ...rest] = reply.map(String)
    const known = this.#known
    this.#clock.observe(Number(time), Number(clock), sentAt)
    known.epoch ||= epochNow
    if (epochNow === known.epoch) known.count = Math.max(known.count, Number(countNow))
    return { outcome, rest }
  }

  #startRenewing(): void {
    if (this.#closed) return
    // After a failure, the next renewal is soon enough.
    const renewAll = (): void => void this.#run(renew, [this.#leaseMs, ...this.#open]).catch(() => {})
    this.#renewTimer ??= setInterval(renewAll, this.#leaseMs / 3)
  }

  #stopRenewing(): void {
    clearInterval(this.#renewTimer)
    this.#renewTimer = undefined
  }
}
