import { count } from '../../lib/count.ts'
import { CreditBudget } from '../../index.ts'
import { CreditBudgetError } from '../../errors/index.ts'
import { Refusal } from './failures.ts'
import type { Confirm, ConfirmRequest } from './types.ts'

/** Limits of one session on each of its calls, in credits. */
export interface CallLimits {
  readonly maxPerCall: number
  readonly confirmAbove: number
}

/**
 * A budget for one call, which holds it to the price that was announced or approved.
 *
 * @throws {Refusal | CreditBudgetError} if a limit or a person says no. Nothing has been sent then.
 */
export async function allow(
  { budget, maxPerCall, confirmAbove }: CallLimits & { readonly budget: unknown },
  request: ConfirmRequest,
  confirm: Confirm | undefined,
): Promise<CreditBudget> {
  const { atMost, isBounded, pages } = request
  const price = count(atMost, 'credit')
  const fits = (most: number): string =>
    most * pages < atMost ? '' : `; \`pages\` ${Math.floor((most * pages) / atMost)} would fit`
  if (atMost > maxPerCall)
    throw new Refusal(
      'call_limit',
      `the call may cost ${price}, and one call may cost at most ${maxPerCall}; ask for fewer pages or items${fits(maxPerCall)}`,
    )
  if (budget instanceof CreditBudget && atMost > budget.remaining) {
    const error = new CreditBudgetError({ needed: atMost, remaining: budget.remaining })
    error.message += fits(budget.remaining)
    throw error
  }
  if (atMost > confirmAbove || (atMost > 0 && !isBounded)) {
    if (confirm === undefined)
      throw new Refusal(
        'confirmation',
        `the call may cost ${price}, which needs the approval of a person, and this program cannot ask one; ask for less`,
      )
    const isApproved: unknown = await confirm(request)
    if (isApproved !== true)
      throw new Refusal('confirmation', 'a person has declined the call; do not repeat it')
  }
  return new CreditBudget(atMost)
}
