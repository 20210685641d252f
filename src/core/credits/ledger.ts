import type { Operation, Price } from '../../contract/operation.ts'
import { type PagingOverride, itemsOf } from '../lib/list-items.ts'
import type { Budget } from './budget.ts'
import { type CreditSummary, type Reservation, roundedSummary } from './credit-summary.ts'

/** What a client's calls have cost, in credits. */
export interface Credits extends CreditSummary {
  /** The same, for each operation that has cost something or may yet. */
  byOperation: Record<string, CreditSummary>
}

/** Keeps account of the credits of one client. */
export class Ledger {
  /** Sums by operation, which may be off by tiny fractions. */
  readonly #accounts = new Map<string, CreditSummary>()

  /** What the calls so far have cost; a copy. */
  credits(): Credits {
    const credits: Credits = { spent: 0, uncertain: 0, reserved: 0, byOperation: {} }
    for (const [operation, account] of this.#accounts) {
      const summary = roundedSummary(account)
      credits.byOperation[operation] = summary
      credits.spent += summary.spent
      credits.uncertain += summary.uncertain
      credits.reserved += summary.reserved
    }
    return { ...credits, ...roundedSummary(credits) }
  }

  /** The account of an operation, by its id. */
  account(operation: string): CreditSummary {
    let account = this.#accounts.get(operation)
    if (account === undefined)
      this.#accounts.set(operation, (account = { spent: 0, uncertain: 0, reserved: 0 }))
    return account
  }
}

/** What one call has cost, all its attempts taken together, in credits. */
export interface CallCredits {
  spent: number
  /** Of attempts that may or may not have been charged. */
  uncertain: number
}

/** The credits of one call: they are set aside from before the first send until the outcome is known. */
export class Purchase implements CallCredits {
  spent = 0
  uncertain = 0
  readonly #account: CreditSummary
  readonly #operation: string
  readonly #worstCase: number | null
  readonly #budgets: readonly Budget[]
  /** One for each budget while the next send is covered. */
  #reservations: readonly Reservation[] | undefined
  #isClosed = false

  /** @param worstCase Credits that one success may cost at most; null for what is free whatever comes back. */
  constructor(ledger: Ledger, operation: Operation, worstCase: number | null, budgets: readonly Budget[]) {
    this.#account = ledger.account(operation.id)
    this.#operation = operation.id
    this.#worstCase = worstCase
    this.#budgets = budgets
  }

  /**
   * Makes sure that the next send is covered; undefined if it is at once.
   *
   * @throws {CreditBudgetError} as a rejection, if a budget has too little left.
   */
  cover(): Promise<void> | undefined {
    if (this.#worstCase === null || this.#reservations !== undefined) return undefined
    if (this.#budgets.length > 0) return this.#askBudgets(this.#worstCase)
    this.#reservations = none
    this.#account.reserved += this.#worstCase
    return undefined
  }

  /** An attempt was charged so many credits, and perhaps so many more. */
  settle(cost: number, uncertain = 0): void {
    this.#end(cost, uncertain)?.forEach((reservation) => reservation.settle(cost, uncertain))
  }

  /** An attempt may have been charged. */
  doubt(): void {
    this.#end(0, this.#worstCase ?? 0)?.forEach((reservation) => reservation.doubt())
  }

  /** There will be no further attempt. */
  close(): void {
    this.#isClosed = true
    if (this.#reservations !== undefined) this.#end(0, 0)?.forEach((reservation) => reservation.release())
  }

  /** Sets the credits aside in each budget and in the ledger, or nowhere. */
  async #askBudgets(credits: number): Promise<void> {
    const reservations: Reservation[] = []
    try {
      for (const budget of this.#budgets) reservations.push(await budget.reserve(credits, this.#operation))
    } catch (error) {
      reservations.forEach((reservation) => reservation.release())
      throw error
    }
    this.#reservations = reservations
    this.#account.reserved += credits
    // A budget may take its time; the call may have ended meanwhile.
    if (this.#isClosed) this.close()
  }

  /** Moves the credits in the ledger; returns the reservations that have to follow, if the send was covered. */
  #end(cost: number, uncertain: number): readonly Reservation[] | undefined {
    const reservations = this.#reservations
    if (reservations === undefined) return undefined
    this.#reservations = undefined
    this.spent += cost
    this.uncertain += uncertain
    this.#account.reserved -= this.#worstCase ?? 0
    this.#account.spent += cost
    this.#account.uncertain += uncertain
    return reservations
  }
}

const none: readonly Reservation[] = []

/**
 * Credits to set aside for a call whose items have no documented bound, if the caller names none. An assumption of this
 * package: the most that the one bounded call per item, post comments, can cost.
 */
const assumedCeiling = 1000

/** The operation at the caller's own price, if there is one. */
export function priced(operation: Operation, prices: Readonly<Record<string, number>>): Operation {
  const credits = prices[operation.id]
  if (credits === undefined || operation.price.kind === 'free') return operation
  return { ...operation, price: { ...operation.price, credits } }
}

/**
 * Credits that one success may cost at most; null for what is free whatever comes back.
 *
 * @param maxItems The bound on the items that the call asks for, if its price has one.
 * @param ceiling The caller's own bound on the items, for a price that has no documented one.
 */
export function worstCase(price: Price, maxItems: unknown, ceiling = assumedCeiling): number | null {
  if (price.kind === 'free') return null
  if (price.kind === 'perRequest') return price.credits
  if (price.ceiling === null) return price.credits * ceiling
  return price.credits * (typeof maxItems === 'number' ? maxItems : price.ceiling.default)
}

/** Credits that a success has cost, or null where the body does not tell. */
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
