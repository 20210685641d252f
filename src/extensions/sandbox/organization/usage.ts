import type { SandboxLedger } from '../types.ts'

/** The credits that the sandbox has charged, as if all in the month of a time. The shape is made up. */
export function usageOf({ spent, byOperation }: SandboxLedger, now: number) {
  const date = new Date(now)
  const month = (ahead: number) =>
    new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead)).toISOString()
  return {
    usage: {
      periodStart: month(0),
      periodEnd: month(1),
      creditsSpent: spent,
      byOperation: { ...byOperation },
    },
  }
}
