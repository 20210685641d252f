import { RateLimitError, SharedError, TimeoutError } from '../../errors/index.ts'
import { isA } from '../../lib/thrown.ts'
import { SurfaceClosed } from '../../limits/interface.ts'
import type { Call } from './call.ts'
import { Ended } from './cancellation.ts'
import { errorContext } from './record.ts'

/** The error of a call that something has ended before its next attempt. */
export function unsentError(call: Call, reason: unknown): unknown {
  const { signal } = call.cancellation
  if (isA(reason, Ended)) return reason.toError(errorContext(call), call.record.phase)
  // The reason of the caller's signal is passed on unchanged.
  if (signal.aborted && reason === signal.reason) return reason
  if (reason instanceof SharedError) return reason.of(errorContext(call))
  if (!isA(reason, SurfaceClosed)) return reason
  const retryAfter = Math.max(1, Math.ceil(reason.remaining / 1000))
  const message = `not sent: rate limit reached; retry in ${retryAfter} s`
  if (reason.reason === 'pace') return timeoutOf(call, message, retryAfter)
  return new RateLimitError({ ...errorContext(call), status: 429, code: 'rate_limited', message, retryAfter })
}

export function timeoutOf(call: Call, message: string, retryAfter?: number): TimeoutError {
  return new TimeoutError(message, { ...errorContext(call), phase: call.record.phase, retryAfter })
}
