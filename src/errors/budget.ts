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
  /**
   * What would lower the cost: the param that bounds the items of the answer, or for null, the option `expectedItems`. Undefined if
   * nothing would.
   */
  bound?: { readonly param: string; readonly least: number } | null | undefined
}

/**
 * What a refusal says.
 *
 * @param names What its reader calls the budget, and an option or a param of the call.
 */
export function budgetText(
  { needed, remaining, reserved = 0, bound }: BudgetRefusal,
  names: { readonly budget: string; readonly option: (name: string) => string },
): string {
  const others = needed <= remaining + reserved ? ` and ${reserved} reserved for calls in progress` : ''
  const hint =
    bound === undefined
      ? ''
      : bound === null
        ? `; if you expect fewer items, pass ${names.option('expectedItems')}; it does not limit the charge`
        : `; the smallest ${names.option(bound.param)} is ${bound.least}`
  return `not sent: it may cost ${count(needed, 'credit')} and ${names.budget} has ${remaining} left${others}${hint}`
}

/**
 * The call may cost more than the budget has left. Nothing was sent to the service. For comments, a lower `maxComments` may
 * help, and for reactions `expectedItems`. Its code is `budget_exceeded` if your proxy has the budget.
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
  /**
   * What would lower `needed`: for comments `maxComments`, and its smallest value; null for reactions, which have only the option
   * `expectedItems`. Absent for other calls.
   */
  declare readonly bound?: { readonly param: string; readonly least: number } | null

  /** @param details `proxyMessage`: what the proxy that has the budget says. */
  constructor(details: BudgetRefusal & { proxyMessage?: string }, context?: ErrorContext) {
    const { needed, remaining, reserved = 0, budget, limit, every, resetsAt, whose, bound } = details
    const { proxyMessage } = details
    const name = budget === undefined ? 'the `budget`' : `the budget ${JSON.stringify(budget)}`
    const mayReturn = needed <= remaining + reserved
    super(
      proxyMessage === undefined ? 'credit_budget' : 'budget_exceeded',
      proxyMessage || budgetText(details, { budget: name, option: (name) => `\`${name}\`` }),
      (context) => new new.target(details, context),
      context,
      {
        ...{ needed, remaining, reserved: mayReturn ? reserved : undefined, bound },
        ...{ budget, limit, every, resetsAt: resetsAt ?? undefined, whose },
      },
    )
  }
}

nameClasses({ CreditBudgetError })
