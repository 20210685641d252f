import { count } from '../../lib/count.ts'
import { CreditBudget } from '../../index.ts'
import { CreditBudgetError } from '../../errors/index.ts'
import { ToolRefusal } from './failures.ts'
import type { Confirm, ConfirmRequest } from './types.ts'

/** What calls may cost: together, and one of them without asking a person. */
interface Allowed {
  readonly budget: unknown
  readonly confirmAbove: number
}

/**
 * A budget for one call, which holds it to the price that was announced or approved.
 *
 * @throws {ToolRefusal | CreditBudgetError} if a limit or a person says no. Nothing has been sent then.
 */
export async function allow(
  { budget, confirmAbove }: Allowed,
  request: ConfirmRequest,
  confirm: Confirm | undefined,
): Promise<CreditBudget> {
  const { atMost, isBounded, pages } = request
  const fits = (most: number): string =>
    most * pages < atMost ? '' : `; \`pages\` ${Math.floor((most * pages) / atMost)} would fit`
  if (budget instanceof CreditBudget && atMost > budget.remaining) {
    const error = new CreditBudgetError({ needed: atMost, remaining: budget.remaining })
    error.message += fits(budget.remaining)
    throw error
  }
  if (atMost > confirmAbove || (atMost > 0 && !isBounded)) {
    if (confirm === undefined) {
      const price = `the call may cost ${count(atMost, 'credit')}, which needs the approval of a person`
      const message = `${price}, and this program cannot ask one; ask for less${fits(confirmAbove)}`
      throw new ToolRefusal('confirmation', message)
    }
    const isApproved: unknown = await confirm(request)
    if (isApproved !== true)
      throw new ToolRefusal('confirmation', 'a person has declined the call; do not repeat it')
  }
  return new CreditBudget(atMost)
}
