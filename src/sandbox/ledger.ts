import type { SandboxCharge, SandboxLedger } from './types.ts'

/** The service's own book of charges. */
export interface Ledger {
  readonly view: SandboxLedger
  charge(requestId: string, operation: string, credits: number): void
}

export function createLedger(): Ledger {
  const entries: SandboxCharge[] = []
  const byOperation: Record<string, number> = {}
  const view = { spent: 0, byOperation, entries }
  return {
    view,
    charge(requestId, operation, credits) {
      view.spent += credits
      byOperation[operation] = (byOperation[operation] ?? 0) + credits
      entries.push({ requestId, operation, credits, at: performance.now() })
    },
  }
}
