import type { ServiceErrorCode } from '../../contract/error-envelope.ts'
import { cut } from '../../contract/issues.ts'
import type { Operation } from '../../contract/operation.ts'
import {
  ApiError,
  type ApiErrorDetails,
  type Attempt,
  type Charged,
  ConnectionError,
  RedirectError,
  apiErrorClasses,
} from '../../errors.ts'
import { type ErrorBody, parsed } from '../http/dialect.ts'
import { AttemptFailure } from './attempt-failure.ts'
import { readCredits } from '../http/proxy-protocol.ts'
import { announcedWait } from '../retry/announced-wait.ts'
import { type FailureKind, stakeOf } from '../retry/policy.ts'
import type { Call } from './call.ts'

/**
 * Makes the error of a response that is not a success. Text from the response is redacted.
 *
 * @param replacesSuccess Whether a middleware returned it instead of a success that was charged.
 */
export function readFailure(
  call: Call,
  { sent }: Attempt,
  response: Response,
  text: string,
  replacesSuccess: boolean,
): AttemptFailure {
  const { operation, settings } = call
  const { redactor, dialect } = settings
  const { status, headers, type } = response
  const ambiguous = call.chargedSoFar
  // Other 3xx do not redirect, a 304 for example.
  if (type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status)) {
    const context = { ...call.context(), ...(status > 0 && { status }) }
    const message = 'the answer is a redirect; check baseUrl'
    return new AttemptFailure(new RedirectError(message, context), ambiguous)
  }
  if (status < 200) {
    const context = { ...call.context(), phase: 'exchange', reason: `status ${status}` } as const
    const error = new ConnectionError(`no response (status ${status})`, context)
    return new AttemptFailure(error, ambiguous, 'no-answer')
  }
  const body = redactor.data(parsed(text, dialect))
  const errorBody = dialect.readError(body)
  const announced = announcedWait(headers, body, Date.now())
  const reportedCharge = errorBody?.charged
  // A proxy with this package has already retried, but may have skipped a long wait.
  const isWaiting = status === 429 && announced !== null && announced > 0
  const isFinal = replacesSuccess || (reportedCharge !== undefined && !isWaiting && status !== 401)
  const kind = isFinal ? 'final' : kindOf(call, status, errorBody)
  // The service never bills a 4xx or 5xx. Without its error body, the answer may come from a proxy or a firewall and
  // hide a success.
  const own: Charged = reportedCharge ?? (errorBody === null || status < 400 ? ambiguous : 'no')
  const charged = replacesSuccess || sent === null ? ambiguous : own
  const retryAfter = announced === null ? undefined : announced / 1000
  const details: ApiErrorDetails = {
    ...call.context(charged),
    status,
    code: printable(errorBody?.code ?? `http_${status}`, maxCodeLength) as ServiceErrorCode,
    message:
      reportedCharge === undefined
        ? describe(operation, status, errorBody, retryAfter)
        : printable(errorBody?.message ?? '', maxMessageLength),
    requestId: redactor.requestId(body),
    issues: errorBody?.issues,
    retryAfter,
    ...(status === 403 && {
      requiredScopes: reportedCharge === undefined ? operation.scopes : errorBody?.requiredScopes,
    }),
  }
  const ErrorClass = apiErrorClasses[status] ?? ApiError
  const error = errorBody?.toError?.(details) ?? new ErrorClass(details)
  const credits = reportedCharge === undefined ? null : readCredits(headers)
  return new AttemptFailure(error, charged, kind, announced, replacesSuccess ? null : credits)
}

/** Longest code and message that an error repeats, in characters: they end up in logs. */
const maxCodeLength = 64
const maxMessageLength = 500

/** One line of text, of bounded length. */
function printable(text: string, maxLength: number): string {
  return cut(text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' '), maxLength)
}

function kindOf({ operation, settings }: Call, status: number, errorBody: ErrorBody | null): FailureKind {
  // Behind a 401 that is not the service's, the call may have been charged or have changed data.
  const mayResend = errorBody !== null || stakeOf(operation) === 'read' || settings.retry.ambiguous
  if (status === 401 && mayResend) return 'unauthorized'
  if (status === 429) return errorBody === null ? 'foreign-limit' : 'rate-limited'
  if (status < 500) return 'final'
  if (errorBody === null) return 'foreign-error'
  if (status === 502) return 'upstream'
  return status === 503 ? 'unavailable' : 'server-error'
}

function describe(
  operation: Operation,
  status: number,
  errorBody: ErrorBody | null,
  retryAfter: number | undefined,
): string {
  const { code = '', message = '' } = errorBody ?? {}
  const said = [code, message]
    .filter((text) => text !== '')
    .map((text) => printable(text, maxMessageLength))
    .join(': ')
  const parts = [`the service answered ${status}`, errorBody === null ? 'without its own error body' : said]
  const [issue] = errorBody?.issues ?? []
  if (issue && errorBody?.message === undefined) parts.push(`${issue.path} ${issue.message}`)
  if (retryAfter !== undefined) parts.push(`retry after ${retryAfter} s`)
  const isExplained = operation.scopes.some((scope) => message.includes(scope))
  if (status === 403 && operation.scopes.length > 0 && !isExplained) {
    parts.push(
      `the credential lacks ${operation.scopes.join(' or ')}, or the member behind it lost the permission`,
    )
  }
  return parts.join('; ')
}
