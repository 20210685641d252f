import type { Operation } from './operation.ts'

/** The effect of a request, which a retry may repeat: none, a charge, or a change of data. */
export type Effect = 'read' | 'metered' | 'write'

export function effectOf({ method, price }: Pick<Operation, 'method' | 'price'>): Effect {
  if (price.kind !== 'free') return 'metered'
  return method === 'GET' ? 'read' : 'write'
}
