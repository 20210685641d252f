import { count } from '../lib/count.ts'
import { type ErrorContext, SharedError, nameClasses } from './base.ts'

/** Why a budget refused a call. */
export interface BudgetRefusal {
  needed: number
  remaining: number
  /** Credits that calls in progress have reserved. */
  reserved?: number | undefined
  budget?: string | undefined
  resetsAt?: number | null | undefined
  /** Which budget of a proxy it is: that of the `user`, or that of its client, for `all` users. */
  whose?: 'user' | 'all' | undefined
}

/**
 * The call may cost more than the budget has left. Nothing was sent to the service. For comments or reactions, a lower
 * `ceiling` may help. Its code is `budget_exceeded` if your proxy has the budget.
 *
 * @example
 * if (error instanceof CreditBudgetError) console.log(`needs ${error.needed}, has ${error.remaining} credits`)
 */
export class CreditBudgetError extends SharedError {
  declare readonly code: 'credit_budget' | 'budget_exceeded'
  /** The maximum cost of the call, in credits. */
  readonly needed: number
  /** Credits left in the budget, without those that other calls have reserved. */
  readonly remaining: number
  /** The `name` of the budget, if it has one. */
  declare readonly budget?: string
  /** Credits that calls in progress have reserved; absent if the call would not fit even when they return. */
  declare readonly reserved?: number
  /** When the budget resets, in milliseconds since 1970; absent if it never does, or if nobody knows. */
  declare readonly resetsAt?: number
  /** Behind your proxy: whether the budget of this user or that for all users is too low. Absent elsewhere. */
  declare readonly whose?: 'user' | 'all'

  /**
   * @param details `hasCeiling`: whether the option `ceiling` would lower what the call needs. `label`: what the message calls the
   * budget. `proxyMessage`: what the proxy that has the budget says.
   */
  constructor(
    details: BudgetRefusal & { hasCeiling?: boolean; label?: string; proxyMessage?: string },
    context?: ErrorContext,
  ) {
    const { needed, remaining, reserved = 0, budget, resetsAt, whose, hasCeiling, proxyMessage } = details
    const { label = budget === undefined ? 'the `budget`' : `the budget ${JSON.stringify(budget)}` } = details
    const mayReturn = needed <= remaining + reserved
    const others = mayReturn ? ` and ${reserved} reserved for calls in progress` : ''
    const hint = hasCeiling ? '; if you expect fewer items, pass `ceiling`; it does not limit the charge' : ''
    super(
      proxyMessage === undefined ? 'credit_budget' : 'budget_exceeded',
      proxyMessage ||
        `not sent: it may cost ${count(needed, 'credit')} and ${label} has ${remaining} left${others}${hint}`,
      (context) => new new.target(details, context),
      context,
    )
    this.needed = needed
    this.remaining = remaining
    if (mayReturn) this.reserved = reserved
    if (budget !== undefined) this.budget = budget
    if (typeof resetsAt === 'number') this.resetsAt = resetsAt
    if (whose) this.whose = whose
  }
}

nameClasses({ CreditBudgetError })
