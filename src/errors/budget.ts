import { count } from '../lib/count.ts'
import type { Period } from '../lib/period.ts'
import { type ErrorContext, SharedError, nameClasses } from './base.ts'

/** Why a budget refused a call. */
export interface BudgetRefusal {
  needed: number
  remaining: number
  /** Credits that calls in progress have reserved. */
  reserved?: number | undefined
  budget?: string | undefined
  limit?: number | undefined
  every?: Period | undefined
  resetsAt?: number | null | undefined
  /** Which budget of a proxy it is: that of the `user`, or that of its client, for `all` users. */
  whose?: 'user' | 'all' | undefined
  /** Whether the option `expectedItems` would lower what the call needs. */
  hasExpectedItems?: boolean | undefined
}

/**
 * What a refusal says.
 *
 * @param names What its reader calls the budget, and the option `expectedItems`.
 */
export function budgetText(
  { needed, remaining, reserved = 0, hasExpectedItems }: BudgetRefusal,
  names: { readonly budget: string; readonly expectedItems: string },
): string {
  const others = needed <= remaining + reserved ? ` and ${reserved} reserved for calls in progress` : ''
  const hint = hasExpectedItems
    ? `; if you expect fewer items, pass ${names.expectedItems}; it does not limit the charge`
    : ''
  return `not sent: it may cost ${count(needed, 'credit')} and ${names.budget} has ${remaining} left${others}${hint}`
}

/**
 * The call may cost more than the budget has left. Nothing was sent to the service. For comments or reactions, a lower
 * `expectedItems` may help. Its code is `budget_exceeded` if your proxy has the budget.
 *
 * @example
 * if (error instanceof CreditBudgetError) console.log(`needs ${error.needed}, has ${error.remaining} credits`)
 */
export class CreditBudgetError extends SharedError {
  declare readonly code: 'credit_budget' | 'budget_exceeded'
  /** The maximum cost of the call, in credits. */
  declare readonly needed: number
  /** Credits left in the budget, without those that other calls have reserved. */
  declare readonly remaining: number
  /** The `name` of the budget, if it has one. */
  declare readonly budget?: string
  /** All credits of the budget, or of each of its periods, if it tells them. */
  declare readonly limit?: number
  /** Its period, if it has one. */
  declare readonly every?: Period
  /** Credits that calls in progress have reserved; absent if the call would not fit even when they return. */
  declare readonly reserved?: number
  /** When the budget resets, in milliseconds since 1970; absent if it never does, or if nobody knows. */
  declare readonly resetsAt?: number
  /** Behind your proxy: whether the budget of this user or that for all users is too low. Absent elsewhere. */
  declare readonly whose?: 'user' | 'all'
  /** Whether the option `expectedItems` would lower `needed`: for comments and reactions. */
  declare readonly hasExpectedItems: boolean

  /** @param details `proxyMessage`: what the proxy that has the budget says. */
  constructor(details: BudgetRefusal & { proxyMessage?: string }, context?: ErrorContext) {
    const { needed, remaining, reserved = 0, budget, limit, every, resetsAt, whose } = details
    const { proxyMessage, hasExpectedItems = false } = details
    const name = budget === undefined ? 'the `budget`' : `the budget ${JSON.stringify(budget)}`
    const mayReturn = needed <= remaining + reserved
    super(
      proxyMessage === undefined ? 'credit_budget' : 'budget_exceeded',
      proxyMessage || budgetText(details, { budget: name, expectedItems: '`expectedItems`' }),
      (context) => new new.target(details, context),
      context,
      {
        ...{ needed, remaining, reserved: mayReturn ? reserved : undefined, hasExpectedItems },
        ...{ budget, limit, every, resetsAt: resetsAt ?? undefined, whose },
      },
    )
  }
}

nameClasses({ CreditBudgetError })
