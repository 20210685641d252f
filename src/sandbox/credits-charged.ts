import type { Operation } from '../api/operation.ts'

/** Credits charged for a success with this body. */
export function creditsCharged({ price, list = '' }: Operation, body: unknown): number {
  if (price.kind === 'free') return 0
  if (price.kind === 'perRequest') return price.credits
  const items = (body as Record<string, unknown> | null | undefined)?.[list]
  return Array.isArray(items) ? price.credits * items.length : 0
}
