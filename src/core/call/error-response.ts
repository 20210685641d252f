import { type ServiceErrorCode, codeOfStatus } from '../../api/error-envelope.ts'
import { maxMessageLength } from '../../api/issues.ts'
import {
  ApiError,
  ConnectionError,
  CreditBudgetError,
  type ErrorContext,
  RedirectError,
  apiErrorClasses,
} from '../../errors/index.ts'
import { parsed } from '../../lib/json.ts'
import { readBudgetRefusal, readCharged, readCredits } from '../credits/reported-cost.ts'
import { effectOf } from '../failures/effect.ts'
import { describeError, describeGatewayBody, maxCodeLength, printable } from '../failures/error-message.ts'
import { announcedWait } from '../failures/retry-after.ts'
import { kindOfStatus } from '../failures/status-table.ts'
import type { NetworkFailure } from '../http/network-error.ts'
import { requestIdOf } from '../http/request-id.ts'
import type { RawResponse } from '../http/send.ts'
import type { Evidence } from './attempt.ts'
import type { Call } from './call.ts'
import type { Found } from './verdict.ts'

/** Reads an answer that is no success, and concludes from its sender whether the request took effect. */
export function readErrorResponse(
  { client, operation, record }: Pick<Call, 'client' | 'operation' | 'record'>,
  { response, text, sent, at }: RawResponse & Pick<Evidence, 'sent' | 'at'>,
): Found {
  const { redactor } = record
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
    return lostConnection({
      message: `no response (${reason})`,
      phase: 'exchange',
      kind: 'no-answer',
      reason,
    })
  }
  const body = redactor.data(parsed(text, client.bodyFormat))
  const announced = announcedWait(headers, body, at)
  const own = status < 400 ? null : client.bodyFormat.readError(body)
  // A proxy with this package says what the call cost.
  const reported = own && readCharged(body)
  const sender = own === null ? 'gateway' : reported === null ? 'service' : 'proxy'
  const kind = kindOfStatus(sender, status, announced)
  const effect = reported && (sent === null || effectOf(operation) === 'read' ? 'no' : reported)
  const told = own ?? describeGatewayBody(response, text, redactor)
  const code = printable(own?.code ?? codeOfStatus(status), maxCodeLength)
  const requestId = requestIdOf(body, redactor)
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
  const refusal = sender === 'proxy' && status === 402 && readBudgetRefusal(body)
  const ErrorClass = apiErrorClasses[status] ?? ApiError
  return {
    ...{ code, requestId, announced },
    // What may have been charged is not sent again.
    kind: effect !== null && effect !== 'no' ? 'final' : kind,
    ...(effect !== null && { effect }),
    credits: (sender === 'proxy' && readCredits(headers)) || undefined,
    toError: (context) =>
      (refusal && new CreditBudgetError({ ...refusal, isOfProxy: true }, { ...context, requestId })) ||
      (own?.toError?.({ ...context, ...details }) ?? new ErrorClass({ ...context, ...details })),
  }
}

/** The failure of a request without a usable response. */
export function lostConnection({ message, phase, kind, reason }: NetworkFailure): Found {
  const toError = (context: ErrorContext) => new ConnectionError(message, { ...context, phase, reason })
  return { kind, code: 'connection', toError }
}
