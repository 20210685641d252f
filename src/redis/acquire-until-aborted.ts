import { followAbort } from '../lib/abort.ts'
import type { CallLimiter, CallTicket, Lease } from '../limits/limiter.ts'

/** Acquires a lease from a limiter of this package, and cancels the wait when the signal aborts. */
export async function acquireUntilAborted(
  limiter: CallLimiter,
  ticket: CallTicket,
  signal: AbortSignal,
): Promise<Lease> {
  signal.throwIfAborted()
  // A copy, since one ticket may be used for several calls.
  const own = { ...ticket, signal: undefined }
  const unfollow = followAbort(signal, { abort: (reason) => limiter.cancel(own, reason) })
  try {
    return await limiter.acquire(own)
  } finally {
    unfollow()
  }
}
