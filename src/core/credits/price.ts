import { type PagingOverride, itemsOf } from '../../api/list-items.ts'
import type { Operation, Price } from '../../api/operation.ts'

/** What one call cost in all its attempts, in credits. */
export interface CallCredits {
  spent: number
  /** Credits that may have been charged. */
  uncertain: number
}

/**
 * Items to expect if neither the service nor the user names a bound. An assumption of this package: the documented
 * maximum of post comments.
 */
export const assumedCeiling = 1000

/**
 * The highest cost of one success in credits; null for a free operation.
 *
 * @param params Of the request, which may bound the items.
 * @param ceiling The most items to expect, as the user says; a documented bound below it counts.
 */
export function worstCase(price: Price, params: object, ceiling?: number): number | null {
  if (price.kind === 'free') return null
  if (price.kind === 'perRequest') return price.credits
  const expected = price.ceiling === null ? (ceiling ?? assumedCeiling) : price.ceiling.default
  const maxItems = price.ceiling && (params as Record<string, unknown>)[price.ceiling.param]
  const bound = price.ceiling !== null && typeof maxItems === 'number' ? maxItems : expected
  return price.credits * Math.min(bound, ceiling ?? bound)
}

/** The cost of a success in credits; null if the body does not show it. */
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
