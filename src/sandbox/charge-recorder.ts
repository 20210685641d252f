import type { SandboxCharge, SandboxLedger } from './types.ts'

/** Records what the sandbox has charged. */
export interface ChargeRecorder {
  readonly ledger: SandboxLedger
  charge(requestId: string, operation: string, credits: number): void
}

export function createChargeRecorder(): ChargeRecorder {
  const entries: SandboxCharge[] = []
  const byOperation: Record<string, number> = {}
  const ledger = { spent: 0, byOperation, entries }
  return {
    ledger,
    charge(requestId, operation, credits) {
      ledger.spent += credits
      byOperation[operation] = (byOperation[operation] ?? 0) + credits
      entries.push({ requestId, operation, credits, at: performance.now() })
    },
  }
}
