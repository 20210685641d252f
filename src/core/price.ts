import type { Operation, Price } from '../contract/operation.ts'

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
 * Credits that one success may cost at most.
 *
 * @param ceiling The caller's own bound on the items, for a price that has no documented one.
 */
export function worstCase(price: Price, params: unknown, ceiling = assumedCeiling): number {
  if (price.kind === 'free') return 0
  if (price.kind === 'perRequest') return price.credits
  if (price.ceiling === null) return price.credits * ceiling
  const bound = (params as Record<string, unknown> | null)?.[price.ceiling.param]
  return price.credits * (typeof bound === 'number' ? bound : price.ceiling.default)
}

/** Credits that a success has cost, or null where the body does not tell. */
export function costOf({ price, list }: Pick<Operation, 'price' | 'list'>, body: unknown): number | null {
  if (price.kind === 'free') return 0
  if (price.kind === 'perRequest') return price.credits
  if (typeof body !== 'object' || body === null) return null
  const { meta, [list?.property ?? '']: items } = body as { meta?: { creditsCharged?: unknown } } & Record<
    string,
    unknown
  >
  const charged = meta?.creditsCharged
  if (charged !== undefined)
    return Number.isSafeInteger(charged) && Number(charged) >= 0 ? Number(charged) : null
  return Array.isArray(items) ? items.length * price.credits : null
}
