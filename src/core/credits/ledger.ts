import type { Operation, Price } from '../../api/operation.ts'
import type { Log } from '../../lib/logger.ts'
import { messageOf, runAside } from '../../lib/thrown.ts'
import { type PagingOverride, itemsOf } from '../../api/list-items.ts'
import { type Budget, type CreditSummary, type Reservation, rounded, roundedSummary } from './budget.ts'

/** What a client's calls have cost, in credits. */
export interface Credits extends CreditSummary {
  /** The price of answers that calls got from a cache, or from the request of an equal call. */
  saved: number
  /** The same for each operation that was called. */
  byOperation: Record<string, CreditSummary>
}

/** Counts the credits of one client. */
export class Ledger {
  saved = 0
  /** Not rounded yet. */
  readonly #accounts = new Map<string, CreditSummary>()

  /** What the calls have cost so far; a copy. */
  credits(): Credits {
    const total = { spent: 0, uncertain: 0, reserved: 0 }
    const byOperation: Credits['byOperation'] = {}
    for (const [operation, account] of this.#accounts) {
      const summary = (byOperation[operation] = roundedSummary(account))
      for (const name of ['spent', 'uncertain', 'reserved'] as const) total[name] += summary[name]
    }
    return { ...roundedSummary(total), saved: rounded(this.saved), byOperation }
  }

  /** @param operation The operation's id. */
  account(operation: string): CreditSummary {
    let account = this.#accounts.get(operation)
    if (account === undefined)
      this.#accounts.set(operation, (account = { spent: 0, uncertain: 0, reserved: 0 }))
    return account
  }
}

/** What one call has cost, all attempts included, in credits. */
export interface CallCredits {
  spent: number
  /** Of attempts that may have been charged. */
  uncertain: number
}

/**
 * What an attempt cost. Unknown: perhaps as much as was reserved. After none, the reservation stays for the next attempt.
 */
export type Cost = CallCredits | 'unknown' | 'none'

/** What a purchase uses of its call. */
interface PurchasingCall {
  readonly client: { readonly ledger: Ledger }
  /** With the user's price, if there is one. */
  readonly operation: Operation
  /** `maxItems`: requested items, if the operation has a documented bound. */
  readonly request: { readonly maxItems: unknown }
  readonly settings: {
    readonly budgets: readonly Budget[]
    readonly log?: Log | undefined
    /** The most items to expect. */
    readonly ceiling?: number
  }
}

/** The credits of one call: reserved before an attempt is sent, settled when its outcome is known. */
export class Purchase implements CallCredits {
  spent = 0
  uncertain = 0
  readonly #call: PurchasingCall
  readonly #account: CreditSummary
  readonly #worstCase: number | null
  /** One for each budget that has reserved the cost; undefined without budgets. */
  #reservations: Reservation[] | undefined
  /** Whether the ledger has reserved the cost, after all budgets. */
  #isReserved = false
  #isClosed = false

  constructor(call: PurchasingCall) {
    const { client, operation, request, settings } = call
    this.#call = call
    this.#account = client.ledger.account(operation.id)
    this.#worstCase = worstCase(operation.price, request.maxItems, settings.ceiling)
  }

  /** Reserves the cost of the next attempt, unless it is still reserved. */
  reserve(): void {
    if (this.#worstCase === null || this.#isReserved) return
    this.#isReserved = true
    this.#account.reserved += this.#worstCase
  }

  /**
   * Reserves the cost in every budget and in the ledger, or in none. Once the call has ended, it asks no further budget.
   *
   * @throws {CreditBudgetError} if a budget has too few credits left.
   */
  async reserveInBudgets(): Promise<void> {
    if (this.#worstCase === null || this.#isReserved) return
    this.#reservations = []
    try {
      for (const budget of this.#call.settings.budgets) {
        this.#reservations.push(await budget.reserve(this.#worstCase, this.#call.operation.id))
        if (this.#isClosed) break
      }
    } catch (error) {
      this.#endReservations((reservation) => reservation.release())
      throw error
    }
    if (this.#isClosed) this.#endReservations((reservation) => reservation.release())
    else this.reserve()
  }

  /** Accounts for an attempt. */
  settle(cost: Cost): void {
    if (cost === 'unknown') this.#end(0, this.#worstCase ?? 0, (reservation) => reservation.markUncertain())
    else if (cost !== 'none') {
      const { spent, uncertain } = cost
      const { operation, settings } = this.#call
      const most = this.#worstCase ?? 0
      if (spent > most)
        settings.log?.(
          'warn',
          `cost ${spent} credits, ${spent - most} more than was reserved; raise \`ceiling\``,
          {
            operation: operation.id,
          },
        )
      this.#end(spent, uncertain, (reservation) => reservation.settle(spent, uncertain))
    }
  }

  /** What the call has cost so far; a copy. */
  get credits(): CallCredits {
    return { spent: this.spent, uncertain: this.uncertain }
  }

  /** Releases what is still reserved. */
  close(): void {
    this.#isClosed = true
    this.#end(0, 0, (reservation) => reservation.release())
  }

  /** Settles in the ledger, and each reservation with `settle`, as far as something is reserved. */
  #end(cost: number, uncertain: number, settle: (reservation: Reservation) => unknown): void {
    if (this.#isReserved) {
      this.#isReserved = false
      this.spent += cost
      this.uncertain += uncertain
      this.#account.reserved -= this.#worstCase ?? 0
      this.#account.spent += cost
      this.#account.uncertain += uncertain
    }
    this.#endReservations(settle)
  }

  /** A user's budget that throws must not lose a response that is paid for. */
  #endReservations(settle: (reservation: Reservation) => unknown): void {
    for (const reservation of this.#reservations?.splice(0) ?? [])
      runAside(
        () => settle(reservation),
        (error) => {
          const { operation, settings } = this.#call
          const fields = { operation: operation.id, reason: messageOf(error) }
          settings.log?.('error', 'the budget failed', fields)
        },
      )
  }
}

/**
 * Items to expect if neither the service nor the user names a bound. An assumption of this package: the documented
 * maximum of post comments.
 */
export const assumedCeiling = 1000

/**
 * The highest cost of one success in credits; null for a free operation.
 *
 * @param maxItems Requested items, if the operation has a documented bound.
 * @param ceiling The most items to expect, as the user says; a documented bound below it counts.
 */
export function worstCase(price: Price, maxItems: unknown, ceiling?: number): number | null {
  if (price.kind === 'free') return null
  if (price.kind === 'perRequest') return price.credits
  const expected = price.ceiling === null ? (ceiling ?? assumedCeiling) : price.ceiling.default
  const bound = price.ceiling !== null && typeof maxItems === 'number' ? maxItems : expected
  return price.credits * Math.min(bound, ceiling ?? bound)
}

/** The cost of a success in credits; null if the body does not show it. */
export function costOf(operation: Operation, body: unknown, paging?: PagingOverride): number | null {
  const { price } = operation
  if (price.kind === 'free') return 0
  if (price.kind === 'perRequest') return price.credits
  if (typeof body !== 'object' || body === null) return null
  const charged = (body as { meta?: { creditsCharged?: unknown } | null }).meta?.creditsCharged
  if (charged !== undefined)
    return Number.isSafeInteger(charged) && Number(charged) >= 0 ? Number(charged) : null
  const items = itemsOf(operation, body, paging)
  return items === null ? null : items.length * price.credits
}
