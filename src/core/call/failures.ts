import { ConfigurationError, ConnectionError, TimeoutError } from '../../errors/index.ts'
import { messageOf } from '../../lib/thrown.ts'
import type { NetworkFailure } from '../http/network-error.ts'
import { FetchMisuse } from '../http/send.ts'
import { Failure, type FailureKind, isRateLimit } from '../retry/failure.ts'
import { effectOf, nextWait } from '../retry/policy.ts'
import { type Situation, errorContext } from './call.ts'
import { Ended } from './cancellation.ts'

/** Makes every failure: decides whether and when the call retries, and for how long its surface closes. */
export function makeFailure(
  at: Situation,
  error: unknown,
  kind: FailureKind = 'final',
  {
    tookEffect = at.tookEffect,
    announced = null,
    credits,
  }: Partial<Pick<Failure, 'tookEffect' | 'announced' | 'credits'>> = {},
): Failure {
  const { operation, settings, cancellation } = at.call
  const latest = { kind, announced }
  // An answer that was paid for is not bought again, also if the caller's schema refuses it.
  const isPaid = tookEffect === 'yes'
  const wait = isPaid
    ? null
    : nextWait([...at.failures, latest], effectOf(operation), settings.retry, Math.random)
  const isLate = wait !== null && wait >= cancellation.sendBy - performance.now()
  return new Failure({
    error,
    kind,
    tookEffect,
    credits,
    announced,
    attempts: at.attempts,
    wait: isLate ? null : wait,
    closedMs: isRateLimit(latest) ? announced || (wait ?? 0) : null,
  })
}

const kindsByPhase: Record<ConnectionError['phase'], FailureKind> = {
  connect: 'unsent',
  tls: 'final',
  exchange: 'no-answer',
}

export function failureOfConnection(at: Situation, failure: NetworkFailure): Failure {
  const { message, phase, reason } = failure
  const tookEffect = phase === 'exchange' ? at.tookEffect : 'no'
  const error = new ConnectionError(message, { ...errorContext(at, tookEffect), phase, reason })
  return makeFailure(at, error, kindsByPhase[phase], { tookEffect })
}

/** The failure of an attempt in which a hook failed before sending, or code of the user broke its contract. */
export function failureOfMisuse(at: Situation, error: unknown): Failure {
  const reason = at.redactor.text(messageOf(error))
  const message = error instanceof FetchMisuse ? reason : `a hook failed before sending: ${reason}`
  return makeFailure(at, new ConfigurationError(message, errorContext(at)))
}

/** The failure of an attempt that its timeout or the caller has ended. */
export function failureOfAbort(at: Situation, reason: unknown): Failure {
  const error = errorOfEnd(at, reason)
  return makeFailure(at, error, error instanceof TimeoutError ? 'no-answer' : 'final')
}

/** The error of a call that has ended early: this package's, or the reason of the caller's signal, unchanged. */
export function errorOfEnd(at: Situation, reason: unknown): unknown {
  return reason instanceof Ended ? reason.toError(errorContext(at), at.phase) : reason
}
