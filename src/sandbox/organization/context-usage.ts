import type { Outcome } from '../responses.ts'
import body from './context.json' with { type: 'json' }
import type { SandboxLedger } from '../types.ts'

/** The organization's description of its business. The shape is made up: the service does not document it. */
export function contextOf(): Outcome {
  return { body }
}

/** The credits that the sandbox has charged, as if all in the month of a time. The shape is made up. */
export function usageOf({ spent, byOperation }: SandboxLedger, now: number): Outcome {
  const date = new Date(now)
  const month = (ahead: number) =>
    new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead)).toISOString()
  return {
    body: {
      usage: {
        periodStart: month(0),
        periodEnd: month(1),
        creditsSpent: spent,
        byOperation: { ...byOperation },
      },
    },
  }
}
