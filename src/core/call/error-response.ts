import { type ServiceErrorCode, codeOfStatus } from '../../api/error-envelope.ts'
import { maxMessageLength } from '../../api/issues.ts'
import {
  ApiError,
  type ApiErrorDetails,
  ConnectionError,
  CreditBudgetError,
  type ErrorContext,
  RedirectError,
  apiErrorClasses,
} from '../../errors/index.ts'
import { parsed } from '../../lib/json.ts'
import { readBudgetRefusal, readCharged, readCredits } from '../credits/reported-cost.ts'
import { effectOf } from '../../api/operation-effect.ts'
import { describeError, describeGatewayBody, maxCodeLength, printable } from '../failures/error-message.ts'
import { announcedWait } from '../failures/read-retry-after.ts'
import { type Sender, kindOfStatus } from '../failures/status-table.ts'
import type { NetworkFailure } from '../http/network-error.ts'
import type { ErrorBody } from '../http/body-format.ts'
import { requestIdOf } from '../http/request-id.ts'
import type { RawResponse } from '../http/send.ts'
import type { Evidence } from './attempt.ts'
import type { Call } from './call.ts'
import type { Found } from './verdict.ts'

/** What an answer that is no success is read with. */
type Answered = RawResponse & Pick<Evidence, 'sent' | 'at'>
type Reader = Pick<Call, 'client' | 'operation' | 'record'>

/** Reads an answer that is no success, and concludes from its sender whether the request took effect. */
export function readErrorResponse(call: Reader, answered: Answered): Found {
  const { status, type } = answered.response
  // Other 3xx do not redirect, a 304 for example.
  if (type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status)) return redirected(status)
  if (status >= 200) return readBody(call, answered)
  const reason = `status ${status}`
  return noAnswer(`no response (${reason})`, reason)
}

/** @param status 0 in browsers. */
function redirected(status: number): Found {
  const toError = (context: ErrorContext) =>
    new RedirectError('the response is a redirect; check baseUrl', {
      ...context,
      status: status || undefined,
    })
  return { kind: 'final', code: 'redirect', toError }
}

function readBody(call: Reader, answered: Answered): Found {
  const { client, operation, record } = call
  const { response, text, sent, at } = answered
  const { status, headers } = response
  const body = record.redactor.data(parsed(text, client.bodyFormat))
  const announced = announcedWait(headers, body, at)
  const own = status < 400 ? null : client.bodyFormat.readError(body)
  // A proxy with this package says what the call cost.
  const reported = own && readCharged(body)
  const sender = own === null ? 'gateway' : reported === null ? 'service' : 'proxy'
  const effect = reported && (sent === null || effectOf(operation) === 'read' ? 'no' : reported)
  const requestId = requestIdOf(body, record.redactor)
  const details = { requestId, ...detailsOf(call, answered, sender, own, announced) }
  const refusal = sender === 'proxy' && status === 402 ? readBudgetRefusal(body) : null
  return {
    ...{ code: details.code, requestId, announced },
    // What may have been charged is not sent again.
    kind: effect !== null && effect !== 'no' ? 'final' : kindOfStatus(sender, status, announced),
    ...(effect !== null && { effect }),
    credits: (sender === 'proxy' && readCredits(headers)) || undefined,
    toError: (context) => errorOf({ ...context, ...details }, own, refusal),
  }
}

function detailsOf(
  { client, operation, record }: Reader,
  { response, text }: RawResponse,
  sender: Sender,
  own: ErrorBody | null,
  announced: number | null,
): ApiErrorDetails {
  const { status } = response
  const told = own ?? describeGatewayBody(response, text, record.redactor)
  return {
    status,
    code: printable(own?.code ?? codeOfStatus(status), maxCodeLength) as ServiceErrorCode,
    issues: own?.issues,
    gateway: sender === 'gateway',
    // The message of a proxy is complete.
    message:
      sender === 'proxy'
        ? printable(own?.message ?? '', maxMessageLength)
        : describeError(operation, client.baseUrl, status, told, announced),
    retryAfter: announced === null ? undefined : announced / 1000,
    // A proxy's 403 is about its caller.
    ...(status === 403 && sender !== 'proxy' && { requiredScopes: operation.scopes }),
  }
}

function errorOf(
  details: ApiErrorDetails,
  own: ErrorBody | null,
  refusal: ReturnType<typeof readBudgetRefusal>,
): ApiError | CreditBudgetError {
  if (refusal) return new CreditBudgetError({ ...refusal, proxyMessage: details.message }, details)
  const ErrorClass = apiErrorClasses[details.status] ?? ApiError
  return own?.toError?.(details) ?? new ErrorClass(details)
}

/** The failure of a request that was sent, and has no usable response. */
export function noAnswer(message: string, reason: string): Found {
  return lostConnection({ message, phase: 'exchange', kind: 'no-answer', reason })
}

/** The failure of a connection. */
export function lostConnection({ message, phase, kind, reason }: NetworkFailure): Found {
  const toError = (context: ErrorContext) => new ConnectionError(message, { ...context, phase, reason })
  return { kind, code: 'connection', toError }
}
