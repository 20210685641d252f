import type { ServiceErrorCode } from '../../api/error-envelope.ts'
import { cut } from '../../api/issues.ts'
import {
  ApiError,
  type Charged,
  ConnectionError,
  RedirectError,
  apiErrorClasses,
} from '../../errors/index.ts'
import { parsed } from '../../lib/json.ts'
import type { ErrorBody } from '../http/dialect.ts'
import { type ReportedCredits, readCredits } from '../http/proxy-protocol.ts'
import { describeForeign } from '../http/foreign-body.ts'
import { announcedWait } from '../retry/announced-wait.ts'
import { Failure, type FailureKind } from '../retry/failure.ts'
import type { Call } from './call.ts'
import type { Received } from './exchange.ts'

/** A response that is not a success, redacted. */
interface Refusal {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
  /** Type of the body, and the first words of a page. */
  readonly told: string
  /** Null if the body is not the service's own. */
  readonly errorBody: ErrorBody | null
  /** The announced wait in milliseconds, or null. */
  readonly announced: number | null
}

/** Makes the failure of a response that is not a success. */
export function failureOfResponse(call: Call, { response, text, fetchedStatus }: Received): Failure {
  const { dialect, redactor } = call.client
  const { status, headers, type } = response
  // Other 3xx do not redirect, a 304 for example.
  if (type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status)) return redirected(call, status)
  // A hook must not make the call pay for another success.
  const isPaid = fetchedStatus !== null && fetchedStatus >= 200 && fetchedStatus < 300
  if (status < 200) return unanswered(call, status, isPaid ? 'final' : 'no-answer')
  const body = redactor.data(parsed(text, dialect))
  const announced = announcedWait(headers, body, Date.now())
  const told = describeForeign(response, text, redactor)
  const refusal = { status, headers, body, told, errorBody: dialect.readError(body), announced }
  if (isPaid) return failure(call, refusal, call.risk, 'final')
  if (refusal.errorBody === null || status < 400) return refusedByOthers(call, refusal)
  return refusal.errorBody.risk === undefined
    ? refusedByService(call, refusal)
    : refusedByProxy(call, refusal, refusal.errorBody.risk)
}

function redirected(call: Call, status: number): Failure {
  const context = { ...call.context(), ...(status > 0 && { status }) }
  const error = new RedirectError('the response is a redirect; check baseUrl', context)
  return new Failure(error, call.risk)
}

function unanswered(call: Call, status: number, kind: FailureKind): Failure {
  const context = { ...call.context(), phase: 'exchange', reason: `status ${status}` } as const
  const error = new ConnectionError(`no response (status ${status})`, context)
  return new Failure(error, call.risk, kind)
}

/** The service never bills a 4xx or 5xx. It may have applied a write before a 500 or 502. */
function refusedByService(call: Call, refusal: Refusal): Failure {
  const kinds: Record<number, FailureKind> = {
    401: 'unauthorized',
    429: 'rate-limited',
    502: 'upstream',
    503: 'unavailable',
  }
  const { status } = refusal
  const kind = kinds[status] ?? (status < 500 ? 'final' : 'server-error')
  const mayBeApplied = call.stake === 'write' && (kind === 'upstream' || kind === 'server-error')
  return failure(call, refusal, mayBeApplied ? 'unknown' : 'no', kind)
}

/** A proxy with this package has already retried, but may have skipped a long wait. It tells what the call cost. */
function refusedByProxy(call: Call, refusal: Refusal, risk: Charged): Failure {
  const { status, announced } = refusal
  const isWaiting = status === 429 && announced !== null && announced > 0
  const kind = isWaiting ? 'rate-limited' : status === 401 ? 'unauthorized' : 'final'
  // A hook that answers costs nothing.
  return failure(call, refusal, call.risk === 'no' ? 'no' : risk, kind, readCredits(refusal.headers))
}

/** A gateway or a firewall: it may stand behind the charge, or hide a success. */
function refusedByOthers(call: Call, refusal: Refusal): Failure {
  const { status } = refusal
  const mayResend = call.stake === 'read' || call.settings.retry.ambiguous
  const own = status === 429 ? 'foreign-limit' : status < 500 ? 'final' : 'foreign-error'
  return failure(call, refusal, call.risk, status === 401 && mayResend ? 'unauthorized' : own)
}

/** Makes a failure with the error class of the status, or with the one that a proxy names. */
function failure(
  call: Call,
  refusal: Refusal,
  risk: Charged,
  kind: FailureKind,
  reported: ReportedCredits | null = null,
): Failure {
  const { operation, client } = call
  const { status, body, errorBody, announced } = refusal
  const isByProxy = errorBody?.risk !== undefined
  const retryAfter = announced === null ? undefined : announced / 1000
  const details = {
    ...call.context(risk),
    status,
    code: printable(errorBody?.code ?? `http_${status}`, maxCodeLength) as ServiceErrorCode,
    // The message of a proxy is complete.
    message: isByProxy ? printable(errorBody.message ?? '', maxMessageLength) : describe(call, refusal),
    requestId: client.redactor.requestId(body),
    issues: errorBody?.issues,
    retryAfter,
    ...(status === 403 && { requiredScopes: isByProxy ? errorBody.requiredScopes : operation.scopes }),
  }
  const ErrorClass = apiErrorClasses[status] ?? ApiError
  const error = errorBody?.toError?.(details) ?? new ErrorClass(details)
  return new Failure(error, risk, kind, announced, reported)
}

/** Longest code and message that an error repeats, in characters: they end up in logs. */
const maxCodeLength = 64
const maxMessageLength = 500

/** One line of text, of bounded length. */
function printable(text: string, maxLength: number): string {
  return cut(text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' '), maxLength)
}

function describe({ operation, client }: Call, { status, errorBody, announced, told }: Refusal): string {
  const { code = '', message = '' } = errorBody ?? {}
  const said = [code, message]
    .filter((text) => text !== '')
    .map((text) => printable(text, maxMessageLength))
    .join(': ')
  const parts = [
    `the service answered ${status}`,
    errorBody === null ? `without its own error body (${told})` : said,
  ]
  // Without an id, the path exists, unless the address is wrong.
  if (status === 404 && operation.pathId === undefined && !client.baseUrl.endsWith('/v1'))
    parts.push('check baseUrl: it lacks /v1')
  const [issue] = errorBody?.issues ?? []
  if (issue && errorBody?.message === undefined) parts.push(`${issue.path} ${issue.message}`)
  if (announced !== null) parts.push(`retry after ${announced / 1000} s`)
  const isExplained = operation.scopes.some((scope) => message.includes(scope))
  if (status === 403 && operation.scopes.length > 0 && !isExplained) {
    parts.push(
      `the credential lacks ${operation.scopes.join(' or ')}, or the member behind it lost the permission`,
    )
  }
  return parts.join('; ')
}
