import { itemsOf } from '../api/list-items.ts'
import type { Operation } from '../api/operation.ts'

/** Credits charged for a success with this body. */
export function creditsCharged(operation: Operation, body: unknown): number {
  const { price } = operation
  if (price.kind === 'free') return 0
  return price.kind === 'perRequest' ? price.credits : price.credits * (itemsOf(operation, body)?.length ?? 0)
}
