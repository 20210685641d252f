import { type ServiceErrorCode, codeOfStatus } from '../../api/error-envelope.ts'
import { maxMessageLength } from '../../api/issues.ts'
import { ApiError, type Charged, RedirectError, apiErrorClasses } from '../../errors/index.ts'
import { parsed } from '../../lib/json.ts'
import { readCharged, readCredits } from '../credits/reported-cost.ts'
import type { RawResponse } from '../http/send.ts'
import { announcedWait } from '../retry/retry-after.ts'
import type { Failure, FailureKind } from '../retry/failure.ts'
import { effectOf } from '../retry/policy.ts'
import { type Situation, errorContext } from './call.ts'
import { describeError, describeGatewayBody, maxCodeLength, printable } from './error-message.ts'
import { failureOfConnection, makeFailure } from './failures.ts'

export function failureOfResponse(at: Situation, received: RawResponse): Failure {
  const { status, type } = received.response
  // Other 3xx do not redirect, a 304 for example.
  if (type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status)) {
    const context = { ...errorContext(at), status: status || undefined }
    return makeFailure(at, new RedirectError('the response is a redirect; check baseUrl', context))
  }
  if (status < 200) {
    const reason = `status ${status}`
    return failureOfConnection(at, { message: `no response (${reason})`, phase: 'exchange', reason })
  }
  return failureOfStatus(at, received)
}

/** Reads an error body, concludes from its sender whether the request took effect, and makes the error. */
function failureOfStatus(at: Situation, { response, text }: RawResponse): Failure {
  const { call, redactor } = at
  const { client, operation } = call
  const { status, headers } = response
  const body = redactor.data(parsed(text, client.bodyFormat))
  const announced = announcedWait(headers, body, Date.now())
  const errorBody = status < 400 ? null : client.bodyFormat.readError(body)
  const reported = errorBody && readCharged(body)
  const isByProxy = reported !== null

  const { kind: found, tookEffect } =
    errorBody === null
      ? classifyGatewayError(at, status)
      : isByProxy
        ? classifyProxyError(at, status, announced, reported)
        : classifyServiceError(at, status)

  const kind = found === 'unauthorized' && !mayRefresh(at) ? 'final' : found
  const told = errorBody ?? describeGatewayBody(response, text, redactor)
  const details = {
    ...errorContext(at, tookEffect),
    status,
    code: printable(errorBody?.code ?? codeOfStatus(status), maxCodeLength) as ServiceErrorCode,
    // The message of a proxy is complete.
    message: isByProxy
      ? printable(errorBody?.message ?? '', maxMessageLength)
      : describeError(operation, client.baseUrl, status, told, announced),
    requestId: redactor.requestId(body),
    issues: errorBody?.issues,
    retryAfter: announced === null ? undefined : announced / 1000,
    gateway: errorBody === null,
    // A proxy's 403 is about its caller.
    ...(status === 403 && !isByProxy && { requiredScopes: operation.scopes }),
  }
  const ErrorClass = apiErrorClasses[status] ?? ApiError
  const error = errorBody?.toError?.(details) ?? new ErrorClass(details)
  const credits = (isByProxy && readCredits(headers)) || undefined
  return makeFailure(at, error, kind, { tookEffect, announced, credits })
}

/** Whether a refused token can be refreshed, which a call does once. */
function mayRefresh({ call, failures }: Situation): boolean {
  const isInTime = call.cancellation.sendBy > performance.now()
  return (
    isInTime && call.client.credential.refreshable && failures.every(({ kind }) => kind !== 'unauthorized')
  )
}

type Classification = Pick<Failure, 'tookEffect' | 'kind'>

const kindsByStatus: Record<number, FailureKind> = {
  401: 'unauthorized',
  429: 'rate-limited',
  502: 'upstream',
  503: 'unavailable',
}

/** The service never bills a 4xx or 5xx. It may have applied a write before a 500 or 502. */
function classifyServiceError({ call, tookEffect: known }: Situation, status: number): Classification {
  const kind = kindsByStatus[status] ?? (status < 500 ? 'final' : 'server-error')
  const mayBeApplied =
    effectOf(call.operation) === 'write' && known !== 'no' && (kind === 'upstream' || kind === 'server-error')
  return { tookEffect: mayBeApplied ? 'unknown' : 'no', kind }
}

/** A gateway or a firewall, which may answer in place of a service that has already charged or succeeded. */
function classifyGatewayError({ call, tookEffect }: Situation, status: number): Classification {
  const mayResend = effectOf(call.operation) === 'read' || call.settings.retry.ambiguous
  if (status === 401 && mayResend) return { tookEffect, kind: 'unauthorized' }
  return { tookEffect, kind: status === 429 ? 'gateway-429' : status < 500 ? 'final' : 'gateway-error' }
}

/**
 * A proxy with this package has already retried, but may have skipped a long wait. It tells what the call cost: one that may
 * have been charged is not sent again.
 */
function classifyProxyError(
  { tookEffect: known }: Situation,
  status: number,
  announced: number | null,
  reported: Charged,
): Classification {
  const tookEffect = known === 'no' ? 'no' : reported
  if (tookEffect !== 'no') return { tookEffect, kind: 'final' }
  const isWaiting = status === 429 && announced !== null && announced > 0
  return { tookEffect, kind: isWaiting ? 'rate-limited' : status === 401 ? 'unauthorized' : 'final' }
}
