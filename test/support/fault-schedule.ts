import fc from 'fast-check'
import type { Fault, Sandbox } from '../../src/sandbox/index.ts'

/** Faults of the connection, and responses that are not the service's. */
export const faultsOfServers: readonly Fault[] = [
  { reset: 'before' },
  { reset: 'after' },
  { cut: 'stall' },
  { cut: 'truncate' },
  { cut: 'reset' },
  { delay: 40_000 },
  { body: { requestId: 'odd', posts: 'none' } },
  { status: 502, body: '<h1>Bad gateway</h1>' },
]

/** Errors of the service that announce a wait, up to `max` seconds. */
export function announced(max: number): fc.Arbitrary<Fault> {
  return fc.record({
    status: fc.constantFrom(400, 403, 429, 500, 502, 503, 504),
    retryAfter: fc.integer({ min: 1, max }),
  })
}

/** Up to six faults, each after some requests without one. */
export function scheduleOf(fault: fc.Arbitrary<Fault>): fc.Arbitrary<{ skip: number; fault: Fault }[]> {
  return fc.array(fc.record({ skip: fc.nat({ max: 3 }), fault }), { maxLength: 6 })
}

export function inject(sandbox: Sandbox, faults: readonly { skip: number; fault: Fault }[]): void {
  for (const { skip, fault } of faults) sandbox.inject({ ...fault, skip })
}
