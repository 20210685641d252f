import { type ServiceErrorCode, codeOfStatus } from '../../api/error-envelope.ts'
import { maxMessageLength } from '../../api/issues.ts'
import {
  ApiError,
  ConfigurationError,
  ConnectionError,
  type ErrorContext,
  RedirectError,
  TimeoutError,
  apiErrorClasses,
  codeOf,
} from '../../errors/index.ts'
import { parsed } from '../../lib/json.ts'
import { isA, messageOf } from '../../lib/thrown.ts'
import { costOf } from '../credits/ledger.ts'
import { readCharged, readCredits } from '../credits/reported-cost.ts'
import { type NetworkFailure, explainNetworkError } from '../http/network-error.ts'
import { FetchMisuse, type RawResponse } from '../http/send.ts'
import { effectOf, kindsByStatus, meaningOf, nextWait } from '../retry/policy.ts'
import { announcedWait } from '../retry/retry-after.ts'
import type { Evidence } from './attempt.ts'
import type { Call } from './call.ts'
import { Ended } from './cancellation.ts'
import type { Failed, Found, Success, Verdict } from './verdict.ts'
import { describeError, describeGatewayBody, maxCodeLength, printable } from './error-message.ts'

/** The failures before this one, and the secrets that were sent. */
type Earlier = Pick<Call['record'], 'failures' | 'redactor'>

/** Says what an attempt means. It changes nothing. */
export function judge(call: Call, evidence: Evidence, earlier: Earlier, random = Math.random): Verdict {
  try {
    if (evidence.kind === 'answered' && isSuccess(evidence.response))
      return readSuccess(call, evidence, earlier)
    return decide(call, find(call, evidence, earlier), evidence, earlier, random)
  } catch (error) {
    // A response that code of the user has made may throw. The attempt has to be settled, all the same.
    return decide(
      call,
      find(call, { ...evidence, kind: 'broken', error }, earlier),
      evidence,
      earlier,
      random,
    )
  }
}

/** Decides what follows from a failure: whether and when the call retries, and for how long its surface closes. */
export function decide(
  { operation, settings, client }: Call,
  found: Found,
  { sent, leftMs }: Pick<Evidence, 'sent' | 'leftMs'>,
  { failures }: Pick<Earlier, 'failures'>,
  random = Math.random,
): Failed {
  const request = effectOf(operation)
  const { attempts, mayHold, closes, refreshes } = meaningOf(found.kind, request, settings.retry)
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
    closedMs: closes ? announced || (wait ?? 0) : null,
  }
}

const isSuccess = ({ status }: Response): boolean => status >= 200 && status < 300

/** What went wrong. */
function find(call: Call, evidence: Evidence, earlier: Earlier): Found {
  const { redactor } = earlier
  const { baseUrl } = call.client
  const { phase, sent } = evidence
  switch (evidence.kind) {
    case 'aborted': {
      const { reason } = evidence
      // The reason of the caller's signal is passed on unchanged.
      if (!isA(reason, Ended)) return { kind: 'final', code: codeOf(reason), toError: () => reason }
      return { kind: 'final', code: reason.code, toError: (context) => reason.toError(context, phase) }
    }
    case 'late': {
      const seconds = call.timeoutMs / 1000
      const message =
        sent === null
          ? `a hook took longer than ${seconds} s, nothing was sent`
          : `no complete response within ${seconds} s (waiting for ${phase})`
      const toError = (context: ErrorContext) => new TimeoutError(message, { ...context, phase })
      return { kind: 'no-answer', code: 'timeout', toError }
    }
    case 'misused': {
      const reason = redactor.text(messageOf(evidence.error))
      const message = isA(evidence.error, FetchMisuse) ? reason : `a hook failed before sending: ${reason}`
      const toError = (context: ErrorContext) => new ConfigurationError(message, context)
      return { kind: 'final', code: 'configuration', toError }
    }
    case 'broken':
      return noConnection(explainNetworkError(evidence.error, { baseUrl, redactor }, phase === 'body'))
    case 'answered':
      return readFailure(call, evidence, earlier)
  }
}

function noConnection({ message, phase, reason }: NetworkFailure): Found {
  const kind = ({ connect: 'unsent', tls: 'untrusted', exchange: 'no-answer' } as const)[phase]
  const toError = (context: ErrorContext) => new ConnectionError(message, { ...context, phase, reason })
  return { kind, code: 'connection', toError }
}

/** Reads an answer that is no success, and concludes from its sender whether the request took effect. */
function readFailure(
  { client, operation }: Call,
  { response, text, sent, at }: RawResponse & Pick<Evidence, 'sent' | 'at'>,
  { redactor }: Earlier,
): Found {
  const { status, type, headers } = response
  // Other 3xx do not redirect, a 304 for example.
  if (type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status)) {
    const toError = (context: ErrorContext) =>
      new RedirectError('the response is a redirect; check baseUrl', {
        ...context,
        status: status || undefined,
      })
    return { kind: 'final', code: 'redirect', toError }
  }
  if (status < 200) {
    const reason = `status ${status}`
    return noConnection({ message: `no response (${reason})`, phase: 'exchange', reason })
  }
  const body = redactor.data(parsed(text, client.bodyFormat))
  const announced = announcedWait(headers, body, at)
  const own = status < 400 ? null : client.bodyFormat.readError(body)
  // A proxy with this package says what the call cost.
  const reported = own && readCharged(body)
  const sender = own === null ? 'gateway' : reported === null ? 'service' : 'proxy'
  const kinds = kindsByStatus[sender]
  // A proxy has already retried, but may have skipped a long wait.
  const isOver = sender === 'proxy' && status === 429 && !announced
  const kind = (isOver ? undefined : kinds[status]) ?? kinds[status < 500 ? 400 : 500]
  const effect = reported && (sent === null || effectOf(operation) === 'read' ? 'no' : reported)
  const told = own ?? describeGatewayBody(response, text, redactor)
  const code = printable(own?.code ?? codeOfStatus(status), maxCodeLength)
  const requestId = redactor.requestId(body)
  const details = {
    ...{ status, code: code as ServiceErrorCode, requestId, issues: own?.issues, gateway: own === null },
    // The message of a proxy is complete.
    message:
      sender === 'proxy'
        ? printable(own?.message ?? '', maxMessageLength)
        : describeError(operation, client.baseUrl, status, told, announced),
    retryAfter: announced === null ? undefined : announced / 1000,
    // A proxy's 403 is about its caller.
    ...(status === 403 && sender !== 'proxy' && { requiredScopes: operation.scopes }),
  }
  const ErrorClass = apiErrorClasses[status] ?? ApiError
  return {
    ...{ code, requestId, announced },
    // What may have been charged is not sent again.
    kind: effect !== null && effect !== 'no' ? 'final' : kind,
    ...(effect !== null && { effect }),
    credits: (sender === 'proxy' && readCredits(headers)) || undefined,
    toError: (context) =>
      own?.toError?.({ ...context, ...details }) ?? new ErrorClass({ ...context, ...details }),
  }
}

function readSuccess(
  { client, operation, settings }: Call,
  received: RawResponse & Pick<Evidence, 'sent'>,
  { redactor }: Earlier,
): Success {
  const { response, complete } = received
  let { text } = received
  // An invalid body is reported later.
  let value = response.status !== 206 && complete ? parsed(text, client.bodyFormat) : undefined
  const clean = redactor.text(text)
  if (clean !== text) {
    // Pages end up in logs, and proxies pass them on.
    value = redactor.data(value)
    text = clean
  }
  const requestId = redactor.requestId(value)
  const success = { ok: true, response, complete, text, value, requestId } as const
  if (operation.price.kind === 'free') {
    const effect = received.sent === null || effectOf(operation) === 'read' ? 'no' : 'unknown'
    return { ...success, effect, credits: undefined }
  }
  const reported = readCredits(response.headers)
  if (reported !== null) return { ...success, effect: reported.charged, credits: reported }
  // The service names its request, also in a body that breaks off. Any other success may come from a gateway.
  const isOwn = value === undefined ? /"requestId"\s*:\s*"[^"]/.test(text) : requestId !== undefined
  const spent = isOwn ? costOf(operation, value, settings.paging) : null
  if (spent === null) return { ...success, effect: 'unknown', credits: undefined }
  return { ...success, effect: 'yes', credits: { spent, uncertain: 0 } }
}
