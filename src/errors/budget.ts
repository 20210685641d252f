import {
  type ErrorContext,
  SocialSearchError,
  nameClasses,
  setNonEnumerable,
  withoutUndefined,
} from './base.ts'
import { type RefusedBudget, mayFitLater } from './facts.ts'
import { budgetTooLow } from './words.ts'

/**
 * The call may cost more than the budget has left. Nothing was sent to the service. For comments, a lower `maxComments` may
 * help, and for reactions `expectedItems`.
 *
 * @example
 * if (error instanceof CreditBudgetError) console.log(`needs ${error.budget.needed}, has ${error.budget.remaining} credits`)
 */
export class CreditBudgetError extends SocialSearchError {
  declare readonly code: 'credit_budget'
  /** The budget, and what the call needs of it. */
  declare readonly budget: RefusedBudget
  /** What to change: `budget`, or the param or option that lowers the cost. */
  declare readonly option: string
  /** @internal The budget itself; undefined if it is that of a proxy. */
  declare readonly refusedBy: unknown

  /** @param details `what`: what it says, if not the sentence about a budget of the client. */
  constructor(
    { what, refusedBy, ...refusal }: RefusedBudget & { what?: string | undefined; refusedBy?: unknown },
    context?: ErrorContext,
  ) {
    const { reserved = 0, name, bound } = refusal
    const isLater = mayFitLater(refusal)
    const budget = withoutUndefined({ ...refusal, reserved: isLater ? reserved : undefined })
    const named = name === undefined ? 'the `budget`' : `the budget ${JSON.stringify(name)}`
    const advice = isLater ? '' : '; raise the budget'
    super(
      'credit_budget',
      what || budgetTooLow(budget, { budget: named, option: (name) => `\`${name}\`` }) + advice,
      context,
      { budget, option: bound === null ? 'expectedItems' : (bound?.param ?? 'budget') },
    )
    setNonEnumerable(this, 'refusedBy', refusedBy)
  }
}

nameClasses({ CreditBudgetError })
