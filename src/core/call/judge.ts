import { ConfigurationError, type ErrorContext, TimeoutError, codeOf } from '../../errors/index.ts'
import { messageOf } from '../../lib/thrown.ts'
import { nextWait } from '../failures/backoff.ts'
import { effectOf } from '../../api/operation-effect.ts'
import { meaningOf } from '../failures/failure-table.ts'
import { explainNetworkError } from '../http/network-error.ts'
import type { Evidence } from './attempt.ts'
import type { Call } from './call.ts'
import { isEnded } from './cancellation.ts'
import { lostConnection, noAnswer, readErrorResponse } from './error-response.ts'
import { readSuccess } from './success-response.ts'
import type { Failed, Found, Verdict } from './verdict.ts'

/** What a verdict depends on, besides the evidence. */
type Judged = Pick<Call, 'client' | 'operation' | 'settings' | 'timeoutMs' | 'record'>

/** Says what an attempt means. It changes nothing. */
export function judge(call: Judged, evidence: Evidence, random = Math.random): Verdict {
  try {
    if (evidence.kind === 'answered' && isSuccess(evidence.response)) return readSuccess(call, evidence)
    return decide(call, find(call, evidence), evidence, random)
  } catch (error) {
    // A response that code of the user has made may throw when it is read.
    const reason = call.record.redactor.text(messageOf(error))
    return decide(call, noAnswer(`the response cannot be read (${reason})`, reason), evidence, random)
  }
}

/** Decides what follows from a failure: whether and when the call retries, and for how long its surface closes. */
export function decide(
  { operation, settings, client, record }: Judged,
  found: Found,
  { sent, leftMs }: Pick<Evidence, 'sent' | 'leftMs'>,
  random = Math.random,
): Failed {
  const { failures } = record
  const request = effectOf(operation)
  const { attempts, mayHold, closes, refreshes, uncounted } = meaningOf(
    found.kind,
    request,
    settings.retry.ambiguous,
  )
  const effect = found.effect ?? (mayHold && sent !== null ? 'unknown' : 'no')
  const mayRefresh =
    refreshes &&
    attempts > 1 &&
    leftMs > 0 &&
    client.credential.refreshable &&
    !failures.some((earlier) => earlier.refreshes)
  const kind = refreshes && !mayRefresh ? 'final' : found.kind
  const announced = found.announced ?? null
  // An answer that was paid for is not bought again, also if the caller's schema refuses it.
  const wait =
    effect === 'yes' ? null : nextWait([...failures, { kind, announced }], request, settings.retry, random)
  return {
    ...{ ...found, ok: false, kind, effect, announced, refreshes: mayRefresh },
    wait: wait !== null && wait >= leftMs ? null : wait,
    isUnsent: uncounted || sent === null,
    closedMs: closes ? announced || (wait ?? 0) : null,
  }
}

const isSuccess = ({ status }: Response): boolean => status >= 200 && status < 300

/** What went wrong. */
function find(call: Judged, evidence: Evidence): Found {
  const { redactor } = call.record
  const { baseUrl } = call.client
  const { phase } = evidence
  switch (evidence.kind) {
    case 'aborted': {
      const { reason } = evidence
      // The reason of the caller's signal is passed on unchanged.
      if (!isEnded(reason)) return { kind: 'final', code: codeOf(reason), toError: () => reason }
      return { kind: 'final', code: reason.code, toError: (context) => reason.toError(context, phase) }
    }
    case 'late': {
      const message = `no complete response within ${call.timeoutMs / 1000} s (waiting for ${phase})`
      const toError = (context: ErrorContext) => new TimeoutError(message, { ...context, phase })
      return { kind: 'no-answer', code: 'timeout', toError }
    }
    case 'misused': {
      const message = redactor.text(messageOf(evidence.error))
      const toError = (context: ErrorContext) => new ConfigurationError(message, context)
      return { kind: 'final', code: 'configuration', toError }
    }
    case 'broken':
      return lostConnection(explainNetworkError(evidence.error, { baseUrl, redactor }, phase === 'body'))
    case 'answered':
      return readErrorResponse(call, evidence)
  }
}
