import { organizationLimits } from '../../src/api/limits.ts'
import type { CallLimiter as Limiter, Permit, QueueRequest } from '../../src/limits/interface.ts'

/** What a patient call asks of a limiter. */
export const queueRequest = (parts: Partial<QueueRequest> = {}): QueueRequest => ({
  ...{ surface: 'a', priority: 0, isRetry: false, maxClosedWaitMs: 60_000 },
  ...{ queuedAt: Math.floor(performance.now()), signal: new AbortController().signal },
  ...parts,
})

/** What a call gets that may be sent at once. */
const permitOf = (parts: object = {}): Permit => ({
  ...{ queued: 0, paced: 0, sent: () => {}, answered: () => {}, end: () => {} },
  ...parts,
})

/** A user's limiter that lets every call go at once, apart from some parts of its permits, and hears of 429s. */
export const lenientLimiter = (
  parts: object = {},
  refused: (surface: string | null, ms: number) => void = () => {},
): Limiter => ({
  acquire: ({ surface }) => {
    const end: Permit['end'] = ({ refusedForMs } = {}) => {
      if (refusedForMs !== undefined) refused(surface, refusedForMs)
    }
    return Promise.resolve(permitOf({ end, ...parts }))
  },
  waitOf: () => null,
  limits: organizationLimits,
})

/** Sends, is answered at once, and gives the slot back. */
export function finish(permit: Permit): void {
  permit.sent()
  permit.answered()
  permit.end()
}

/** Whether a call has been granted so far. */
export function watch(call: Promise<Permit>): { lease: Permit | undefined } {
  const seen: { lease: Permit | undefined } = { lease: undefined }
  call.then(
    (lease) => (seen.lease = lease),
    () => {},
  )
  return seen
}

/** Sends a request that a 429 refuses, as soon as it may. */
export async function refuse(limiter: Pick<Limiter, 'acquire'>, surface: string | null, ms: number) {
  const request = queueRequest({ surface, priority: 1e9, maxClosedWaitMs: Infinity })
  const permit = await limiter.acquire(request)
  permit.sent()
  permit.end({ refusedForMs: ms })
}
