import type { ServiceErrorCode } from '../../contract/error-envelope.ts'
import type { Operation } from '../../contract/operation.ts'
import {
  ApiError,
  type ApiErrorDetails,
  type Charged,
  ConnectionError,
  RateLimitError,
  RedirectError,
  apiErrorClasses,
} from '../../errors.ts'
import { type Complaint, parsed } from '../http/dialect.ts'
import { AttemptFailure } from '../retry/failure.ts'
import { readCredits } from '../http/proxy-protocol.ts'
import { requestIdOf } from '../http/request-id.ts'
import { announcedWait } from '../retry/announced-wait.ts'
import type { FailureKind } from '../retry/policy.ts'
import type { Settings } from '../options/settings.ts'

/** Reads an answer that is not a success. What errors repeat of it is freed of secrets. */
export function readFailure(
  operation: Operation,
  response: Response,
  text: string,
  { redactor, dialect }: Pick<Settings, 'redactor' | 'dialect'>,
  wallClock: number,
): AttemptFailure {
  const { status, headers, type } = response
  const metered = operation.price.kind !== 'free'
  const ambiguous: Charged = metered ? 'unknown' : 'no'
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    const context = { operation: operation.id, charged: ambiguous, ...(status > 0 && { status }) }
    const error = new RedirectError(
      'the answer is a redirect, which is never followed; check baseUrl',
      context,
    )
    return AttemptFailure.final(error, ambiguous)
  }
  if (status < 200) {
    const details = { phase: 'exchange', reason: `status ${status}`, charged: ambiguous } as const
    return AttemptFailure.disconnected(
      new ConnectionError(`there is no answer (status ${status})`, { operation: operation.id, ...details }),
      metered,
    )
  }
  const body = redactor.data(parsed(text, dialect))
  const complaint = dialect.complaintOf(body)
  const announced = announcedWait(headers, body, wallClock)
  const told = complaint?.charged
  // A proxy has repeated all there is to repeat, but may not have the time for a long wait.
  const isWaiting = status === 429 && announced !== null && announced > 0
  const kind = told === undefined || isWaiting ? kindOf(status, complaint) : 'final'
  // The service bills no 4xx or 5xx; a 5xx that is not the service's own may hide a success behind a proxy.
  const charged: Charged = told ?? (kind === 'foreign-error' ? ambiguous : 'no')
  const retryAfter = announced === null ? undefined : announced / 1000
  const details: ApiErrorDetails = {
    operation: operation.id,
    status,
    charged,
    code: printable(complaint?.code ?? `http_${status}`, maxCodeLength) as ServiceErrorCode,
    message:
      told === undefined
        ? describe(operation, status, complaint, retryAfter)
        : printable(complaint?.message ?? '', maxMessageLength),
    requestId: requestIdOf(body, redactor),
    issues: complaint?.issues,
    retryAfter,
    ...(status === 403 && {
      requiredScopes: told === undefined ? operation.scopes : complaint?.requiredScopes,
    }),
  }
  const ErrorClass = apiErrorClasses[status] ?? ApiError
  const error = complaint?.toError?.(details) ?? new ErrorClass(details)
  return new AttemptFailure(
    error,
    { kind, announced },
    charged,
    told === undefined ? null : readCredits(headers),
  )
}

/** Most that is repeated of what the service says, in characters: it ends up in logs. */
const maxCodeLength = 64
const maxMessageLength = 500

/** One line of text, of bounded length. */
function printable(text: string, maxLength: number): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line
}

/** What a call is told whose surface an earlier 429 has closed for longer than anybody should wait. */
export function closedSurface(operation: Operation, remainingMs: number): RateLimitError {
  const retryAfter = Math.ceil(remainingMs / 1000)
  const message = `not sent: an earlier 429 closed its search surface for another ${retryAfter} s`
  return new RateLimitError({
    operation: operation.id,
    status: 429,
    code: 'rate_limited',
    message,
    retryAfter,
  })
}

function kindOf(status: number, complaint: Complaint | null): FailureKind {
  if (status === 429) return 'rate-limited'
  if (status < 500) return 'final'
  if (complaint === null) return 'foreign-error'
  if (status === 502) return 'upstream'
  return status === 503 ? 'unavailable' : 'server-error'
}

function describe(
  operation: Operation,
  status: number,
  complaint: Complaint | null,
  retryAfter: number | undefined,
): string {
  const parts = [`the service answered ${status}`]
  if (complaint === null) parts.push('without its own error body')
  else
    parts.push(
      [complaint.code, complaint.message]
        .filter((text) => text !== undefined && text !== '')
        .map((text) => printable(String(text), maxMessageLength))
        .join(': '),
    )
  const [issue] = complaint?.issues ?? []
  if (issue && complaint?.message === undefined) parts.push(`${issue.path} ${issue.message}`)
  if (retryAfter !== undefined) parts.push(`retry after ${retryAfter} s`)
  const isExplained = operation.scopes.some((scope) => complaint?.message?.includes(scope))
  if (status === 403 && operation.scopes.length > 0 && !isExplained) {
    parts.push(
      `the credential lacks ${operation.scopes.join(' or ')}, or the member behind it has lost the permission in the organization`,
    )
  }
  return parts.join('; ')
}
