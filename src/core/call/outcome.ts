import { type ServiceErrorCode, codeOfStatus } from '../../api/error-envelope.ts'
import { firstIssues, maxMessageLength } from '../../api/issues.ts'
import {
  ApiError,
  type Charged,
  ConfigurationError,
  ConnectionError,
  InvalidResponseError,
  RedirectError,
  TimeoutError,
  apiErrorClasses,
} from '../../errors/index.ts'
import { parsed } from '../../lib/json.ts'
import { messageOf } from '../../lib/thrown.ts'
import { type Cost, costOf } from '../credits/ledger.ts'
import type { ExplainedFailure } from '../http/network-error.ts'
import { creditsHeader, readCredits } from '../http/proxy-protocol.ts'
import { type RawResponse, maxBodyBytes } from '../http/send.ts'
import { announcedWait } from '../retry/announced-wait.ts'
import { Failure, type FailureKind } from '../retry/failure.ts'
import { type Effect, effectOf, nextWait } from '../retry/policy.ts'
import { type Situation, errorContext } from './call.ts'
import { Ended } from './cancellation.ts'
import { describeError, describeGatewayBody, maxCodeLength, printable } from './error-message.ts'
import type { Validated } from './validate-body.ts'

/** What came of an attempt. */
export type AttemptOutcome = ParsedSuccess | Failure

/** A success, parsed, whether it is usable or not; its texts and data are redacted. */
export interface ParsedSuccess extends RawResponse {
  /** Undefined if the text is not JSON, or not the whole body. */
  readonly value: unknown
  /** The value, or the text if it is not JSON. */
  readonly body: unknown
  readonly requestId: string | undefined
  readonly tookEffect: Charged
  readonly cost: Cost
}

/** The outcome of an attempt whose response has been read. */
export function outcomeOf(at: Situation, received: RawResponse): AttemptOutcome {
  const { status } = received.response
  return status >= 200 && status < 300 ? successOf(at, received) : failureOfResponse(at, received)
}

/** The outcome of an attempt whose connection failed. */
export function failureOfConnection(at: Situation, failure: ExplainedFailure): Failure {
  const { message, phase, reason } = failure
  const tookEffect = phase === 'exchange' ? at.tookEffect : 'no'
  const error = new ConnectionError(message, { ...errorContext(at, tookEffect), phase, reason })
  return makeFailure(at, error, kindsByPhase[phase], { tookEffect })
}

/** The outcome of an attempt in which a hook failed before sending, or code of the user broke its contract. */
export function failureOfMisuse(at: Situation, error: unknown, isMisuse: boolean): Failure {
  const reason = at.redactor.text(messageOf(error))
  const message = isMisuse ? reason : `a hook failed before sending: ${reason}`
  return makeFailure(at, new ConfigurationError(message, errorContext(at)))
}

/** The failure of an attempt that has thrown an error which nothing else explains. */
export function failureOfUnexpected(at: Situation, error: unknown): Failure {
  if (!at.accountedOutcome) return makeFailure(at, error)
  const reason = at.redactor.text(messageOf(error))
  const message = `the response cannot be read: ${reason}`
  return makeFailure(at, new InvalidResponseError(message, errorContext(at)))
}

/** The outcome of an attempt that its timeout or the caller has ended. */
export function failureOfAbort(at: Situation, reason: unknown): Failure {
  const error = errorOfEnd(at, reason)
  return makeFailure(at, error, error instanceof TimeoutError ? 'no-answer' : 'final')
}

/** The error of a call that has ended early: this package's, or the reason of the caller's signal, unchanged. */
export function errorOfEnd(at: Situation, reason: unknown): unknown {
  return reason instanceof Ended ? reason.toError(errorContext(at), at.phase) : reason
}

/** The failure of a success that is not valid. The error has the body that was paid for. */
export function failureOfInvalid(
  at: Situation,
  requestId: string | undefined,
  { message, issues }: Validated & { ok: false },
): Failure {
  const { redactor } = at
  const error = new InvalidResponseError(redactor.text(message), {
    ...errorContext(at),
    requestId,
    issues: firstIssues(issues, (text) => redactor.text(text)),
  })
  return makeFailure(at, error, 'unreadable')
}

/** Makes every failure, and decides whether and when the call retries. */
export function makeFailure(
  at: Situation,
  error: unknown,
  kind: FailureKind = 'final',
  {
    tookEffect = at.tookEffect,
    announced = null,
    cost = 'unknown',
  }: Partial<Pick<Failure, 'tookEffect' | 'announced' | 'cost'>> = {},
): Failure {
  const { operation, settings } = at.call
  const latest = { kind, announced }
  // An answer that was paid for is not bought again, also if the caller's schema refuses it.
  const isPaid = tookEffect === 'yes'
  const wait = isPaid
    ? null
    : nextWait([...at.failures, latest], effectOf(operation), settings.retry, Math.random)
  return new Failure({ error, tookEffect, ...latest, cost: tookEffect === 'no' ? 'none' : cost, wait })
}

/** Why a success has no value. */
export function whyUnusable(
  { redactor }: Situation,
  { response, text, complete }: ParsedSuccess,
): Validated & { ok: false } {
  const { status } = response
  const message = !complete
    ? `the response is larger than ${maxBodyBytes} bytes and was cut off`
    : status === 206
      ? 'the response is partial (206)'
      : text === ''
        ? `the response is empty (${status})`
        : `the response is not JSON (${status}, ${describeGatewayBody(response, text, redactor)})`
  return { ok: false, message, issues: [] }
}

function successOf({ call, redactor, tookEffect }: Situation, received: RawResponse): ParsedSuccess {
  const { client, operation, settings } = call
  const { bodyFormat } = client
  const { response, complete } = received
  let { text } = received
  let value: unknown
  try {
    if (response.status !== 206 && complete) value = bodyFormat.parse(text)
  } catch {
    // Reported later: the parser's own error would quote the body.
  }
  const clean = redactor.text(text)
  if (clean !== text) {
    // Pages end up in logs, and proxies pass them on.
    value = redactor.data(value)
    text = clean
  }
  const requestId = redactor.requestId(value)
  const success = { response, complete, text, value, body: value ?? text, requestId }
  const { price } = operation
  if (price.kind === 'free') return { ...success, tookEffect, cost: 'none' }
  const reported = response.headers.has(creditsHeader) ? readCredits(response.headers) : null
  if (reported !== null) return { ...success, tookEffect: reported.charged, cost: reported }
  // The service names its request, also in a body that breaks off. Any other success may come from a gateway.
  const isOwn = value === undefined ? /"requestId"\s*:\s*"[^"]/.test(text) : requestId !== undefined
  const spent = isOwn ? costOf(operation, value, settings.paging) : null
  if (spent === null) return { ...success, tookEffect: 'unknown', cost: 'unknown' }
  return { ...success, tookEffect: 'yes', cost: { spent, uncertain: 0 } }
}

function failureOfResponse(at: Situation, { response, text }: RawResponse): Failure {
  const { call, redactor } = at
  const { client, operation, settings } = call
  const { bodyFormat } = client
  const { status, headers, type } = response
  // Other 3xx do not redirect, a 304 for example.
  if (type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status)) {
    const context = { ...errorContext(at), status: status || undefined }
    return makeFailure(at, new RedirectError('the response is a redirect; check baseUrl', context))
  }
  if (status < 200) {
    const context = {
      ...errorContext(at),
      phase: 'exchange',
      reason: `status ${status}`,
    } as const
    return makeFailure(at, new ConnectionError(`no response (status ${status})`, context), 'no-answer')
  }
  const body = redactor.data(parsed(text, bodyFormat))
  const announced = announcedWait(headers, body, Date.now())
  const errorBody = bodyFormat.readError(body)
  const reported = errorBody?.tookEffect
  const effect = effectOf(operation)
  const verdict: Classification =
    errorBody === null || status < 400
      ? classifyGatewayError(status, at.tookEffect, effect === 'read' || settings.retry.ambiguous)
      : reported === undefined
        ? classifyServiceError(status, at.tookEffect, effect)
        : classifyProxyError(status, at.tookEffect, announced, reported)
  const { tookEffect } = verdict
  const isByProxy = reported !== undefined
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
    gateway: errorBody === null || errorBody.gateway,
    // A proxy's 403 is about its caller.
    ...(status === 403 && !isByProxy && { requiredScopes: operation.scopes }),
  }
  const ErrorClass = apiErrorClasses[status] ?? ApiError
  const error = errorBody?.toError?.(details) ?? new ErrorClass(details)
  const cost = (isByProxy && status >= 400 && readCredits(headers)) || 'unknown'
  return makeFailure(at, error, verdict.kind, { tookEffect, announced, cost })
}

type Classification = Pick<Failure, 'tookEffect' | 'kind'>

const kindsByStatus: Record<number, FailureKind> = {
  401: 'unauthorized',
  429: 'rate-limited',
  502: 'upstream',
  503: 'unavailable',
}

const kindsByPhase: Record<ConnectionError['phase'], FailureKind> = {
  connect: 'unsent',
  tls: 'final',
  exchange: 'no-answer',
}

/** The service never bills a 4xx or 5xx. It may have applied a write before a 500 or 502. */
function classifyServiceError(status: number, known: Charged, effect: Effect): Classification {
  const kind = kindsByStatus[status] ?? (status < 500 ? 'final' : 'server-error')
  const mayBeApplied =
    effect === 'write' && known !== 'no' && (kind === 'upstream' || kind === 'server-error')
  return { tookEffect: mayBeApplied ? 'unknown' : 'no', kind }
}

/**
 * A proxy with this package has already retried, but may have skipped a long wait. It tells what the call cost: one that may
 * have been charged is not sent again.
 */
function classifyProxyError(
  status: number,
  known: Charged,
  announced: number | null,
  reported: Charged,
): Classification {
  const isWaiting = status === 429 && announced !== null && announced > 0
  const kind = isWaiting ? 'rate-limited' : status === 401 ? 'unauthorized' : 'final'
  const tookEffect = known === 'no' ? 'no' : reported
  return { tookEffect, kind: tookEffect === 'no' ? kind : 'final' }
}

/** A gateway or a firewall, which may answer in place of a service that has already charged or succeeded. */
function classifyGatewayError(status: number, known: Charged, mayResend: boolean): Classification {
  if (status === 401 && mayResend) return { tookEffect: known, kind: 'unauthorized' }
  return {
    tookEffect: known,
    kind: status === 429 ? 'gateway-429' : status < 500 ? 'final' : 'gateway-error',
  }
}
