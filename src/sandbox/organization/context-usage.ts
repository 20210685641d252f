import type { Outcome } from '../responses.ts'
import body from './context.json' with { type: 'json' }
import type { SandboxLedger } from '../types.ts'

/** The organization's description of its business. The shape is made up: the service does not document it. */
export function contextOf(): Outcome {
  return { body }
}

/** The credits that the sandbox has charged. The shape is made up. */
export function usageOf({ spent, byOperation }: SandboxLedger): Outcome {
  return {
    body: {
      usage: {
        periodStart: '2026-11-01T00:00:00.000Z',
        periodEnd: '2026-12-01T00:00:00.000Z',
        creditsSpent: spent,
        byOperation: { ...byOperation },
      },
    },
  }
}
