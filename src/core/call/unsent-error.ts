import {
  type BudgetRefusal,
  CreditBudgetError,
  RateLimitError,
  SharedError,
  TimeoutError,
  type TimeoutPhase,
} from '../../errors/index.ts'
import { SurfaceClosed } from '../../limits/interface.ts'
import type { Call } from './call.ts'
import { isEnded } from './cancellation.ts'
import { errorContext } from './record.ts'

/** The error of a call that something has ended before its next attempt. */
export function unsentError(call: Call, phase: TimeoutPhase, reason: unknown): unknown {
  const { signal } = call.cancellation
  if (isEnded(reason)) return reason.toError(errorContext(call), phase)
  // The reason of the caller's signal is passed on unchanged.
  if (signal.aborted && reason === signal.reason) return reason
  if (reason instanceof CreditBudgetError) {
    const { operation, settings } = call
    const hasCeiling = operation.price.kind === 'perItem' && !settings.ceiling
    const refusal: BudgetRefusal = reason
    return new CreditBudgetError({ ...refusal, hasCeiling }, errorContext(call))
  }
  if (reason instanceof SharedError) return reason.of(errorContext(call))
  if (!(reason instanceof SurfaceClosed)) return reason
  const retryAfter = Math.max(1, Math.ceil(reason.remaining / 1000))
  const message = `not sent: rate limit reached; retry in ${retryAfter} s`
  if (reason.reason === 'pace') return timeoutOf(call, phase, message, retryAfter)
  return new RateLimitError({ ...errorContext(call), status: 429, code: 'rate_limited', message, retryAfter })
}

export function timeoutOf(
  call: Call,
  phase: TimeoutPhase,
  message: string,
  retryAfter?: number,
): TimeoutError {
  return new TimeoutError(message, { ...errorContext(call), phase, retryAfter })
}
