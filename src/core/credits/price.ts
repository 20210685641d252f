import type { PagingOverride } from '../lib/items.ts'
import { itemsOf } from '../lib/items.ts'
import type { Operation, Price } from '../../contract/operation.ts'

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
