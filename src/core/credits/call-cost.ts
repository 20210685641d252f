import type { Operation } from '../../api/operation.ts'
import type { Charged } from '../../errors/index.ts'
import type { Log, LogFields, LogLevel } from '../../lib/logger.ts'
import { messageOf, runUserCallback } from '../../lib/thrown.ts'
import type { Budget, Reservation } from './budget.ts'
import type { Account, Ledger } from './ledger.ts'
import { type CallCredits, worstCase } from './price.ts'

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
  readonly #account: Account
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
    this.#account.reserve(this.#worstCase)
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
      this.#account.settle(this.#worstCase ?? 0, cost, uncertain)
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
