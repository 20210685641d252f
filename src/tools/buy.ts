import type { Operation } from '../api/operation.ts'
import type { ClientTransport } from '../core/call/transport.ts'
import type { CreditBudget } from '../core/credits/budget.ts'
import { assumedCeiling } from '../core/credits/ledger.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { itemsOf } from '../api/list-items.ts'
import type { Wait } from '../core/options/types.ts'
import { nextStep } from '../core/pages/next-step.ts'
import { InvalidResponseError } from '../errors/index.ts'
import { type Fields, compact } from './compact.ts'
import { itemOf } from './list-result.ts'
import type { Bought, Page, Pages } from './pages.ts'

/** Items to set credits aside for, if the service documents no bound. */
export function itemsToExpect({ price }: Operation): number | undefined {
  return price.kind === 'perItem' && price.ceiling === null ? assumedCeiling : undefined
}

/** How a page is bought and shown. */
export interface BuyContext {
  readonly transport: ClientTransport
  readonly pages: Pages
  readonly signal: AbortSignal | undefined
  readonly allowance: CreditBudget | undefined
  readonly fields: Fields | undefined
  readonly maxText: number
  readonly onWait: ((wait: Wait) => void) | undefined
}

/** Buys a page, and keeps of it what results show. A paid answer that is not as documented is kept, too. */
export async function buy(page: Page, context: BuyContext): Promise<Bought> {
  const { operation, id } = page
  const { transport, pages, signal, allowance, fields, maxText, onWait } = context
  const params = JSON.parse(page.params) as Record<string, unknown>
  const options = { budget: allowance, ceiling: itemsToExpect(operation), onWait }
  const request = transport.compose(operation, params, id)
  try {
    // Once sent it may be charged, so its answer is waited for, even if the caller leaves.
    const { body, cached } = await transport.send(operation, request, options, { abandon: signal })
    return { ...boughtFrom(body), cachedAt: cached?.at.toISOString() }
  } catch (error) {
    if (!(error instanceof InvalidResponseError) || error.charged === 'no') throw error
    return { ...boughtFrom(error.body), error }
  }

  function boughtFrom(body: unknown): Bought {
    const step = nextStep(operation, request, body)
    const next = step.kind === 'next' ? (canonicalJson(JSON.parse(step.params)) ?? '') : page.params
    const items = operation.list === undefined ? null : itemsOf(operation, body)
    return {
      ...(items === null
        ? { record: compact(body, operation.list === undefined ? fields : undefined, maxText) }
        : { items: items.map((item) => itemOf(compact(item, fields, maxText), item)) }),
      // A page that names itself as the next one is the last.
      next: next === page.params ? null : pages.page(operation, next),
    }
  }
}
