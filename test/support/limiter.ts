import { organizationLimits } from '../../src/api/limits.ts'
import type { CallLimiter as Limiter, Lease, QueueRequest } from '../../src/limits/interface.ts'

/** What a patient call asks of a limiter. */
export const queueRequest = (parts: Partial<QueueRequest> = {}): QueueRequest => ({
  ...{ surface: 'a', priority: 0, isRetry: false, maxClosedWaitMs: 60_000 },
  ...{ queuedAt: Math.floor(performance.now()), signal: new AbortController().signal },
  ...parts,
})

/** What a call gets that may be sent at once. */
const leaseOf = (parts: object = {}): Lease => ({
  ...{ queued: 0, paced: 0, sent: () => {}, answered: () => {}, release: () => {} },
  ...parts,
})

/** A user's limiter that lets every call go at once, apart from some parts of its leases and `closeSurface`. */
export const lenientLimiter = (
  parts: object = {},
  closeSurface: Limiter['closeSurface'] = () => {},
): Limiter => ({
  acquire: () => Promise.resolve(leaseOf(parts)),
  closeSurface,
  waitOf: () => null,
  limits: organizationLimits,
})
