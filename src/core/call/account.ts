import type { Attempt, Charged } from '../../errors/index.ts'
import { type CallCredits, worstCase } from '../credits/price.ts'
import { effectOf } from '../../api/operation-effect.ts'
import type { Evidence } from './send.ts'
import { type Call, type Failed, type Verdict, type WritableRecord, logAt } from './call.ts'
import type { Checked } from './check.ts'
import type { Turn } from './wait.ts'
import type { Operation } from '../../api/operation.ts'
import type { Log, LogFields, LogLevel } from '../../lib/logger.ts'
import { messageOf, runUserCallback } from '../../lib/thrown.ts'
import { type Budget, type CreditSummary, type Ledger, type Reservation, settle } from '../credits/budget.ts'

/** Settles the attempts of one call: its money, its slot and its record, which nothing else writes. */
export class Settlement {
  readonly #call: Call
  readonly #record: WritableRecord
  readonly #cost: CallCost
  readonly #turn: Turn
  /** Whether an attempt has begun that is not settled yet. */
  #isOpen = false

  constructor(call: Call, cost: CallCost, turn: Turn) {
    this.#call = call
    this.#record = call.record
    this.#cost = cost
    this.#turn = turn
  }

  /** @param token That the attempt will send. */
  begin(token: string | null): void {
    const record = this.#record
    this.#isOpen = true
    if (this.#call.client.credential.fixed === undefined) record.redactor = record.redactor.with(token ?? '')
  }

  /**
   * Accounts for an attempt, and frees its slot; after a 429 it closes the surface, so that the next request does not run
   * into it.
   */
  settle(evidence: Evidence, verdict: Verdict): CallCredits {
    const credits = this.#account(verdict.effect, verdict.credits)
    const { kind, sent } = evidence
    const isCut = kind === 'answered' ? !evidence.complete : kind === 'late' || kind === 'aborted'
    const outcome = verdict.ok
      ? {}
      : { refusedForMs: verdict.closedMs ?? undefined, unsent: verdict.isUnsent }
    this.#turn.end(outcome, isCut && sent !== null)
    return credits
  }

  /** Notes an attempt that is settled, and tells the log and the observers. @param outcome What came of it. */
  note(evidence: Evidence, outcome: Checked | Failed, effect: Charged, credits: CallCredits): void {
    const call = this.#call
    const record = this.#record
    const { queued, paced, sent, duration, status } = evidence
    const { requestId } = outcome
    const failed = 'toError' in outcome ? outcome : undefined
    const charged = call.operation.price.kind === 'free' ? 'no' : effect
    const entry: Attempt = {
      ...{ queued, paced, sent, duration },
      outcome: failed?.code ?? 'ok',
      charged,
      // A call waits for the end of a 429 in its queue.
      waited: failed?.kind === 'rate-limited' ? 0 : (failed?.wait ?? 0),
      ...(status !== undefined && { status }),
      ...(requestId !== undefined && { requestId }),
    }
    record.attempts = [...record.attempts, entry]
    const number = record.attempts.length
    if (failed === undefined)
      logAt(call, number, 'debug', 'answered', { status, durationMs: Math.round(duration), requestId })
    else {
      call.cancellation.markInFlight(false)
      record.failures = [...record.failures, failed]
      // Without a retry, the caller gets the error.
      const level = effect === 'no' || failed.wait === null ? 'debug' : 'warn'
      logAt(call, number, level, 'attempt failed', { outcome: failed.code, charged, requestId })
    }
    if (evidence.kind === 'answered')
      call.client.endOfLife.tell(call.operation.id, evidence.response, call.settings.log)
    call.observer?.attempt(entry, credits)
  }

  /** Ends the call, whatever has happened: an attempt that nobody could settle may have been charged. */
  end(): void {
    const isOpen = this.#isOpen
    if (isOpen) this.#account(effectOf(this.#call.operation) === 'read' ? 'no' : 'unknown')
    this.#turn.end({ unsent: !isOpen })
    this.#cost.end()
  }

  #account(effect: Charged, reported?: CallCredits): CallCredits {
    const record = this.#record
    this.#isOpen = false
    const credits = this.#cost.settle(effect, reported)
    const { spent, uncertain } = record.credits
    record.credits = { spent: spent + credits.spent, uncertain: uncertain + credits.uncertain }
    if (record.effect === 'no' || effect === 'yes') record.effect = effect
    return credits
  }
}

/** Renewals that take less are one moment, in milliseconds. */
const quickMs = 100

/** The settings of a call that concern its cost. */
interface CostSettings {
  readonly budgets: readonly Budget[]
  readonly ceiling?: number
  readonly log?: Log | undefined
}

/** The credits of one call: reserved before an attempt is sent, settled when its outcome is known. */
export class CallCost {
  readonly #operation: string
  readonly #settings: CostSettings
  readonly #account: CreditSummary
  readonly #worstCase: number | null
  /** One for each budget that has reserved the cost. */
  #reservations: Reservation[] = []
  /** Whether the ledger has reserved the cost, after all budgets. */
  #isReserved = false
  #isEnded = false

  constructor({ id, price }: Operation, params: object, settings: CostSettings, ledger: Ledger) {
    this.#operation = id
    this.#settings = settings
    this.#account = ledger.account(id)
    this.#worstCase = worstCase(price, params, settings.ceiling)
  }

  /** Reserves the cost of the next attempt in the ledger, unless it is still reserved. */
  reserve(): void {
    if (this.#worstCase === null || this.#isReserved) return
    this.#isReserved = true
    this.#account.reserved += this.#worstCase
  }

  /**
   * Reserves the cost in every budget, or in none, before the ledger. Once the call has ended, it asks no further budget.
   *
   * @throws {CreditBudgetError} if a budget has too few credits left.
   */
  async reserveInBudgets(): Promise<void> {
    if (this.#worstCase === null || this.#isReserved) return
    this.#reservations = []
    try {
      for (const budget of this.#settings.budgets) {
        this.#reservations.push(await budget.reserve(this.#worstCase, this.#operation))
        if (this.#isEnded) break
      }
    } catch (error) {
      this.#settleReservations(0, 0)
      throw error
    }
    if (this.#isEnded) this.#settleReservations(0, 0)
  }

  /** Counts what budgets have reserved in the period in which the next attempt is sent. @throws {CreditBudgetError} */
  async renewInBudgets(): Promise<void> {
    // While one of them waits for a store or a file, the period of another may end.
    for (let pass = 1; pass <= 2; pass++) {
      const start = performance.now()
      for (const reservation of this.#reservations) await reservation.renew?.()
      if (performance.now() - start < quickMs) return
    }
  }

  /**
   * Settles an attempt. If it took no effect, the credits stay reserved for the next one.
   *
   * @param credits Undefined if it may have cost all that was reserved.
   * @returns What it has cost.
   */
  settle(effect: Charged, credits: CallCredits | undefined): CallCredits {
    if (effect === 'no') return { spent: 0, uncertain: 0 }
    const most = this.#worstCase ?? 0
    const { spent, uncertain } = credits ?? { spent: 0, uncertain: most }
    const over = spent - most
    if (over > 0)
      this.#log('warn', `cost ${spent} credits, ${over} more than was reserved; raise \`ceiling\``)
    return this.#release(spent, uncertain)
  }

  /** Releases what is reserved for an attempt that does not follow. */
  end(): void {
    this.#isEnded = true
    this.#release(0, 0)
  }

  /** Settles what is reserved in the ledger and in the budgets. */
  #release(cost: number, uncertain: number): CallCredits {
    const isCounted = this.#isReserved
    if (isCounted) {
      this.#isReserved = false
      settle(this.#account, this.#worstCase ?? 0, cost, uncertain)
    }
    this.#settleReservations(cost, uncertain)
    return isCounted ? { spent: cost, uncertain } : { spent: 0, uncertain: 0 }
  }

  /** A user's budget that throws must not lose a response that is paid for. */
  #settleReservations(cost: number, uncertain: number): void {
    for (const reservation of this.#reservations.splice(0))
      runUserCallback(
        () => reservation.settle(cost, uncertain),
        (error) => this.#log('error', 'the budget failed', { reason: messageOf(error) }),
      )
  }

  #log(level: LogLevel, message: string, fields?: LogFields): void {
    this.#settings.log?.(level, message, { operation: this.#operation, ...fields })
  }
}
