import type { ServiceErrorCode } from '../../api/error-envelope.ts'
import { cut } from '../../api/issues.ts'
import {
  ApiError,
  type Attempt,
  type Charged,
  ConnectionError,
  RedirectError,
  apiErrorClasses,
} from '../../errors/index.ts'
import { parsed } from '../../lib/json.ts'
import type { Redactor } from '../../lib/redact.ts'
import type { ErrorBody } from '../http/dialect.ts'
import { readCredits } from '../http/proxy-protocol.ts'
import type { Received } from '../http/send.ts'
import { announcedWait } from '../retry/announced-wait.ts'
import { Failure, type FailureKind, isRateLimit } from '../retry/failure.ts'
import { nextWait } from '../retry/policy.ts'
import type { Call } from './call.ts'

/** Makes the failure of a response that is not a success. */
export function failureOfResponse(call: Call, { response, text }: Received): Failure {
  const { client, operation } = call
  const { dialect, redactor } = client
  const { status, headers, type } = response
  // Other 3xx do not redirect, a 304 for example.
  if (type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status)) {
    const context = { ...call.context(), status: status || undefined }
    return new Failure(new RedirectError('the response is a redirect; check baseUrl', context), call.risk)
  }
  if (status < 200) {
    const context = { ...call.context(), phase: 'exchange', reason: `status ${status}` } as const
    const error = new ConnectionError(`no response (status ${status})`, context)
    return new Failure(error, call.risk, 'no-answer')
  }
  const body = redactor.data(parsed(text, dialect))
  const announced = announcedWait(headers, body, Date.now())
  const errorBody = dialect.readError(body)
  const verdict: Verdict =
    errorBody === null || status < 400
      ? verdictOnOthers(call, status)
      : errorBody.risk === undefined
        ? verdictOnService(call, status)
        : verdictOnProxy(call, status, announced, errorBody.risk)
  // A hook that replaces a response does not change its cost.
  const risk = call.settled?.risk ?? verdict.risk
  const isByProxy = errorBody?.risk !== undefined
  const details = {
    ...call.context(risk),
    status,
    code: printable(errorBody?.code ?? `http_${status}`, maxCodeLength) as ServiceErrorCode,
    // The message of a proxy is complete.
    message: isByProxy
      ? printable(errorBody.message ?? '', maxMessageLength)
      : describe(call, status, errorBody ?? describeForeign(response, text, redactor), announced),
    requestId: redactor.requestId(body),
    issues: errorBody?.issues,
    retryAfter: announced === null ? undefined : announced / 1000,
    // A proxy's 403 is about its caller.
    ...(status === 403 && !isByProxy && { requiredScopes: operation.scopes }),
  }
  const ErrorClass = apiErrorClasses[status] ?? ApiError
  const error = errorBody?.toError?.(details) ?? new ErrorClass(details)
  const reported = isByProxy && status >= 400 ? readCredits(headers) : null
  return new Failure(error, risk, verdict.kind, announced, reported)
}

/** Accounts for a failure, decides on the wait before the next attempt, and closes the surface after a 429. */
export function settleFailure(call: Call, entry: Attempt, failure: Failure): Failure {
  const { risk, reported } = failure
  if (call.stake === 'metered') entry.charged = risk
  if (reported !== null && risk !== 'no') call.purchase.settle(reported.spent, reported.uncertain)
  else if (risk !== 'no') call.purchase.doubt()
  failure.wait = nextWait([...call.failures, failure], call.stake, call.settings.retry, Math.random)
  if (isRateLimit(failure)) call.closeSurface(failure.announced || (failure.wait ?? 0))
  call.settled ??= { risk }
  return failure
}

type Verdict = Pick<Failure, 'risk' | 'kind'>

/** The service never bills a 4xx or 5xx. It may have applied a write before a 500 or 502. */
function verdictOnService(call: Call, status: number): Verdict {
  const kinds: Record<number, FailureKind> = {
    401: 'unauthorized',
    429: 'rate-limited',
    502: 'upstream',
    503: 'unavailable',
  }
  const kind = kinds[status] ?? (status < 500 ? 'final' : 'server-error')
  const mayBeApplied =
    call.stake === 'write' && call.risk !== 'no' && (kind === 'upstream' || kind === 'server-error')
  return { risk: mayBeApplied ? 'unknown' : 'no', kind }
}

/** A proxy with this package has already retried, but may have skipped a long wait. It tells what the call cost. */
function verdictOnProxy(call: Call, status: number, announced: number | null, risk: Charged): Verdict {
  const isWaiting = status === 429 && announced !== null && announced > 0
  const kind = isWaiting ? 'rate-limited' : status === 401 ? 'unauthorized' : 'final'
  // A hook that answers costs nothing.
  return { risk: call.risk === 'no' ? 'no' : risk, kind }
}

/** A gateway or a firewall: it may stand behind the charge, or hide a success. */
function verdictOnOthers({ stake, settings, risk }: Call, status: number): Verdict {
  const mayResend = stake === 'read' || settings.retry.ambiguous
  if (status === 401 && mayResend) return { risk, kind: 'unauthorized' }
  return { risk, kind: status === 429 ? 'foreign-limit' : status < 500 ? 'final' : 'foreign-error' }
}

/** Longest code and message that an error repeats, in characters: they end up in logs. */
const maxCodeLength = 64
const maxMessageLength = 500

/** One line of text, of bounded length. */
function printable(text: string, maxLength: number): string {
  return cut(text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' '), maxLength)
}

/** @param told The error body of the service, or what another server sent. */
function describe(
  { operation, client }: Call,
  status: number,
  told: ErrorBody | string,
  announced: number | null,
): string {
  const errorBody: ErrorBody = typeof told === 'string' ? {} : told
  const { code = '', message = '', issues: [issue] = [] } = errorBody
  const said = [code, message]
    .filter((text) => text !== '')
    .map((text) => printable(text, maxMessageLength))
    .join(': ')
  const parts = [
    `the service answered ${status}`,
    typeof told === 'string' ? `without its own error body (${told})` : said,
  ]
  // Without an id, the path exists, unless the address is wrong.
  if (status === 404 && operation.pathId === undefined && !client.baseUrl.endsWith('/v1'))
    parts.push('check baseUrl: it lacks /v1')
  if (issue && errorBody.message === undefined) parts.push(`${issue.path} ${issue.message}`)
  if (announced !== null) parts.push(`retry after ${announced / 1000} s`)
  const isExplained = operation.scopes.some((scope) => message.includes(scope))
  if (status === 403 && operation.scopes.length > 0 && !isExplained) {
    parts.push(
      `the credential lacks ${operation.scopes.join(' or ')}, or the member behind it lost the permission`,
    )
  }
  return parts.join('; ')
}

/** The type of a body that is not the service's, and the first words of a page. Other bodies may hold paid data. */
export function describeForeign({ headers }: Response, text: string, redactor: Redactor): string {
  const page = /^\s*</.test(text) ? `: ${text}` : ''
  // Redacted first: half a secret would not be recognized.
  const start = redactor.text(`${headers.get('content-type') ?? 'no type'}${page}`).slice(0, 1000)
  return start
    .replaceAll(/(<[^>]*>|[\p{C}\s])+/gu, ' ')
    .slice(0, 120)
    .trim()
}
