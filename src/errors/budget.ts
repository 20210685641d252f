import { count } from '../lib/count.ts'
import { type ErrorContext, SharedError, nameClasses } from './base.ts'

/** Why a budget refused a call. */
export interface BudgetRefusal {
  needed: number
  remaining: number
  budget?: string | undefined
  resetsAt?: number | null | undefined
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
  /** When the budget resets, in milliseconds since 1970; absent if it never does, or if nobody knows. */
  declare readonly resetsAt?: number

  /**
   * @param details `hasCeiling`: whether the option `ceiling` would lower what the call needs. `isOfProxy`: whether a proxy has the
   * budget.
   */
  constructor(
    details: BudgetRefusal & { hasCeiling?: boolean; isOfProxy?: boolean },
    context?: ErrorContext,
  ) {
    const { needed, remaining, budget, resetsAt, hasCeiling, isOfProxy } = details
    const hint = hasCeiling ? '; if you expect fewer items, pass `ceiling`; it does not limit the charge' : ''
    super(
      isOfProxy ? 'budget_exceeded' : 'credit_budget',
      `not sent: it may cost ${count(needed, 'credit')} and the budget has ${remaining} left${hint}`,
      (context) => new new.target(details, context),
      context,
    )
    this.needed = needed
    this.remaining = remaining
    if (budget !== undefined) this.budget = budget
    if (typeof resetsAt === 'number') this.resetsAt = resetsAt
  }
}

nameClasses({ CreditBudgetError })
