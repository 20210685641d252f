import { effectOf } from '../../api/operation.ts'
import { boundOf, worstCase } from '../../api/price.ts'
import { describeWord } from '../../errors/check-options.ts'
import { type Attempt, type Charged, ConfigurationError, CreditBudgetError } from '../../errors/index.ts'
import type { LogFields, LogLevel } from '../../lib/logger.ts'
import { messageOf, runUserCallback } from '../../lib/thrown.ts'
import { dateAt } from '../../lib/time.ts'
import {
  type Budget,
  type BudgetOutlook,
  type CreditSummary,
  type Reservation,
  isLow,
  settle,
  untold,
} from '../credits/budget.ts'
import type { CallCredits } from '../../errors/facts.ts'
import type { ObservedBudget } from '../options/observer.ts'
import {
  type Call,
  type CallRecord,
  type Answer,
  type Failed,
  errorContext,
  logAt,
  noCredits,
} from './call.ts'
import type { Evidence } from './send.ts'

/** A record for the one file that writes it. */
type WritableRecord = { -readonly [Name in keyof CallRecord]: CallRecord[Name] }

/**
 * The bill of one call: what it reserves before an attempt is sent, what each attempt has cost, and the record of both, which
 * nothing else writes.
 */
export class Bill {
  readonly #call: Call
  readonly #record: WritableRecord
  /** What calls of its operation have cost the client. */
  readonly #account: CreditSummary
  /** Null for a free operation. */
  readonly #worstCase: number | null
  /** One for each budget that has reserved the cost. */
  #reservations: { readonly budget: Budget; readonly reservation: Reservation }[] = []
  /** Whether the ledger has reserved the cost, after all budgets. */
  #isReserved = false
  /** Whether an attempt has begun that is not settled yet. */
  #isOpen = false
  #isEnded = false

  constructor(call: Call) {
    const { operation, request, settings, client } = call
    this.#call = call
    this.#record = call.record
    this.#account = client.ledger.get(operation.id) ?? { spent: 0, uncertain: 0, reserved: 0 }
    client.ledger.set(operation.id, this.#account)
    this.#worstCase = worstCase(operation.price, request.params, settings.expectedItems)
  }

  /**
   * Reserves the cost in every budget, or in none, before the ledger. Once the call has ended, it asks no further budget.
   *
   * @throws {CreditBudgetError} if a budget has too few credits left.
   */
  async reserveInBudgets(): Promise<void> {
    if (this.#worstCase === null || this.#isReserved) return
    this.#reservations = []
    const { settings, operation } = this.#call
    const credits = this.#worstCase
    try {
      for (const budget of settings.budget) {
        const given: unknown = await this.#asked(budget, () => budget.reserve(credits, operation.id))
        const reservation = this.#checked(given)
        this.#reservations.push({ budget, reservation })
        if (reservation.low) tellOnce(this.#call, budget, 'low', reservation.low)
        if (this.#isEnded) break
      }
    } catch (error) {
      this.#settleReservations(0, 0)
      throw error
    }
    if (this.#isEnded) this.#settleReservations(0, 0)
  }

  #checked(reservation: unknown): Reservation {
    const { settle } = Object(reservation) as Partial<Reservation>
    if (typeof settle === 'function') return reservation as Reservation
    const message = 'reserve() of the budget must return settle()'
    throw new ConfigurationError(`${message}, got ${describeWord(reservation)}`)
  }

  /** Reserves the cost of the next attempt in the ledger, unless it is still reserved. */
  reserve(): void {
    if (this.#worstCase === null || this.#isReserved) return
    this.#isReserved = true
    this.#account.reserved += this.#worstCase
  }

  /** Counts what budgets have reserved in the period in which the next attempt is sent. @throws {CreditBudgetError} */
  async renewInBudgets(): Promise<void> {
    for (const { budget, reservation } of this.#reservations)
      await this.#asked(budget, () => reservation.renew?.())
  }

  /** An attempt begins. @param token That it will send. */
  begin(token: string | null): void {
    const record = this.#record
    this.#isOpen = true
    if (this.#call.client.credential.fixed === undefined) record.redactor = record.redactor.with(token ?? '')
  }

  /** Accounts for an attempt. If it took no effect, the credits stay reserved for the next one. @returns What it has cost. */
  settle({ tookEffect, credits }: Pick<Failed, 'tookEffect' | 'credits'>): CallCredits {
    const record = this.#record
    this.#isOpen = false
    const cost = tookEffect === 'no' ? noCredits : this.#pay(credits)
    const { spent, uncertain } = record.credits
    record.credits = { spent: spent + cost.spent, uncertain: uncertain + cost.uncertain }
    if (record.tookEffect === 'no' || tookEffect === 'yes') record.tookEffect = tookEffect
    return cost
  }

  /** Adds a settled attempt to the record, and tells the log and the observers. @param answer What came of it. */
  addAttempt(evidence: Evidence, answer: Answer | Failed, tookEffect: Charged, credits: CallCredits): void {
    const call = this.#call
    const record = this.#record
    const { queued, paced, duration, status } = evidence
    const { requestId } = answer
    const failed = 'toError' in answer ? answer : undefined
    const sent = failed?.hasLeft === false ? null : evidence.sent
    const charged = call.operation.price.kind === 'free' && credits.spent === 0 ? 'no' : tookEffect
    const entry: Attempt = {
      queued,
      paced,
      sent,
      duration,
      outcome: failed?.code ?? 'ok',
      charged,
      // A call waits for the end of a 429 in its queue.
      waited: failed?.kind === 'rate-limited' ? 0 : (failed?.wait ?? 0),
      ...(status !== undefined && { status }),
      ...(requestId !== undefined && { requestId }),
    }
    record.attempts = [...record.attempts, entry]
    if (failed) record.failures = [...record.failures, failed]
    logAttempt(call, entry, credits, tookEffect, failed)
    call.observer?.attempt(entry, credits)
  }

  /**
   * Ends the call, whatever has happened: an attempt that nobody could settle may have been charged. What is reserved for an
   * attempt that does not follow is released.
   *
   * @returns Whether all attempts were settled.
   */
  end(): boolean {
    const isSettled = !this.#isOpen
    if (!isSettled) {
      const charged = effectOf(this.#call.operation) === 'read' ? 'no' : 'unknown'
      this.#log('warn', 'lost', { charged, ...this.settle({ tookEffect: charged, credits: undefined }) })
    }
    this.#isEnded = true
    this.#release(0, 0)
    return isSettled
  }

  /** @param credits Undefined if it may have cost all that was reserved. */
  #pay(credits: CallCredits | undefined): CallCredits {
    const most = this.#worstCase ?? 0
    const { spent, uncertain } = credits ?? { spent: 0, uncertain: most }
    const over = spent - most
    const why =
      boundOf(this.#call.operation.price) === null
        ? 'raise `expectedItems`'
        : 'its price differs from the documented one'
    if (over > 0) this.#log('warn', `cost ${spent} credits, ${over} more than was reserved; ${why}`)
    return this.#release(spent, uncertain)
  }

  /** Settles what is reserved in the ledger and in the budgets. */
  #release(spent: number, uncertain: number): CallCredits {
    const isReserved = this.#isReserved
    // Nothing was reserved for a call that should have been free.
    const isCounted = isReserved || (this.#worstCase === null && spent > 0)
    this.#isReserved = false
    if (isCounted) settle(this.#account, isReserved ? (this.#worstCase ?? 0) : 0, spent, uncertain)
    this.#settleReservations(spent, uncertain)
    return isCounted ? { spent, uncertain } : noCredits
  }

  /** A user's budget that throws must not lose a response that is paid for. */
  #settleReservations(spent: number, uncertain: number): void {
    for (const { reservation } of this.#reservations.splice(0))
      runUserCallback(
        () => reservation.settle(spent, uncertain),
        (error) => this.#log('error', 'the budget failed', { reason: messageOf(error) }),
      )
  }

  /** Asks a budget. Its refusal says which budget it was: names may be the same. */
  async #asked<T>(budget: Budget, ask: () => T | Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof CreditBudgetError)) throw error
      const { needed, limit = 0, remaining, reserved = 0, resetsAt: endsAt = null, most } = error.budget
      // One call may be too expensive for a budget that others can still use.
      if (needed <= limit && isLow(limit, limit - remaining - reserved))
        tellOnce(this.#call, budget, 'spent', { limit, remaining, endsAt, most })
      const { operation, settings } = this.#call
      const bound = boundOf(operation.price)
      const isLowered = bound === null && settings.expectedItems !== undefined
      const refusal = { ...error.budget, refusedBy: budget, bound: isLowered ? undefined : bound }
      throw new CreditBudgetError(refusal, errorContext(this.#call))
    }
  }

  #log(level: LogLevel, message: string, fields?: LogFields): void {
    const { settings, operation } = this.#call
    settings.logger?.(level, message, { operation: operation.id, ...fields })
  }
}

/** Each attempt has one line, so that their sums are those of the ledger. */
function logAttempt(
  call: Call,
  { status, charged, requestId, duration }: Attempt,
  credits: CallCredits,
  tookEffect: Charged,
  { code, wait = null }: Partial<Failed> = {},
): void {
  const isRetried = wait !== null
  const times = { durationMs: Math.round(duration), ...(isRetried && { waitMs: Math.round(wait) }) }
  const message = code === undefined ? 'answered' : isRetried ? 'failed, retrying' : 'failed'
  // It was paid for, or applied, or may have been.
  const level = code !== undefined && tookEffect !== 'no' ? 'warn' : 'info'
  logAt(call, call.record.attempts.length, level, message, {
    ...{ status, code, charged, ...credits, requestId, ...times },
  })
}

/** In which of its periods a budget was last told to be low, or spent. */
const told = new WeakMap<Budget, Partial<Record<ObservedBudget['state'], number | null>>>()

/** Tells the log and the observers of a call what has become of a budget, once a period. */
function tellOnce(
  { settings, observer }: Call,
  budget: Budget & { readonly name?: string; readonly [untold]?: true },
  state: ObservedBudget['state'],
  outlook: BudgetOutlook,
): void {
  const { endsAt } = outlook
  const known = told.get(budget)
  if (known?.[state] === endsAt || budget[untold]) return
  told.set(budget, { ...known, [state]: endsAt })
  const { limit, remaining, most } = outlook
  const { name } = budget
  const resetsAt = dateAt(endsAt ?? Infinity)?.toISOString()
  settings.logger?.('warn', `a budget is ${state}`, { budget: name, limit, remaining, resetsAt, most })
  observer?.budget({ name, state, limit, remaining, endsAt, most })
}
