import type { OperationId } from '../../api/operations.ts'
import { count } from '../../lib/count.ts'
import { CreditBudget } from '../../index.ts'
import { CreditBudgetError } from '../../errors/index.ts'
import { type SessionSettings, type ToolRun, itemsToExpect } from './buy.ts'
import { ToolRefusal } from './failures.ts'
import type { Page } from './pages.ts'

/**
 * A budget for the pages of a call from this one on, which holds them to the price that was announced or approved. Undefined if
 * they are free.
 *
 * @throws {InvalidRequestError} for params that the service would refuse.
 * @throws {ToolRefusal | CreditBudgetError} if a limit or a person says no. Nothing has been sent then.
 */
export async function allow(
  { tool, args, pages, done, options, signal }: ToolRun,
  { operation, params, id }: Page,
  { client, budget, confirmAbove, confirm }: SessionSettings,
): Promise<CreditBudget | undefined> {
  const left = pages - done
  const quoted = operation.paging === undefined ? 1 : left
  const input = id ?? (JSON.parse(params) as object)
  const quote = client.quote(operation.id as OperationId, input, { maxPages: quoted })
  if (operation.price.kind === 'free') return undefined
  const ceiling = itemsToExpect(operation)
  const atMost = quote.atMost ?? (ceiling ?? 0) * quoted * operation.price.credits
  const fits = (most: number): string =>
    most * left < atMost ? '' : `; \`pages\` ${Math.floor((most * left) / atMost)} would fit`
  if (budget instanceof CreditBudget && atMost > budget.remaining) {
    const { remaining, reserved } = budget.summary()
    const error = new CreditBudgetError({ needed: atMost, remaining, reserved, budget: budget.name })
    error.message += fits(budget.remaining)
    throw error
  }
  const isBounded = ceiling === undefined
  if (atMost > confirmAbove || (atMost > 0 && !isBounded)) {
    const ask = options.confirm ?? confirm
    if (ask === undefined) {
      const price = `the call may cost ${count(atMost, 'credit')}, which needs the approval of a person`
      const message = `${price}, and this program cannot ask one; ask for less${fits(confirmAbove)}`
      throw new ToolRefusal('confirmation', message)
    }
    const request = { tool: tool.name, input: args, pages: left, atMost, isBounded, why: quote.why, signal }
    const isApproved: unknown = await ask(request)
    if (isApproved !== true)
      throw new ToolRefusal('confirmation', 'a person has declined the call; do not repeat it')
  }
  return new CreditBudget(atMost)
}
