import { type ErrorEnvelope, serviceErrorStatus } from '../api/error-envelope.ts'
import { type Issue, firstIssues } from '../api/issues.ts'

/**
 * The result of handling a request: the body of a 200 without its request id, the issues of an invalid request, or a
 * message that names what does not exist.
 */
export type Outcome<Body = object> =
  { readonly body: Body } | { readonly issues: readonly Issue[] } | { readonly missing: string }

/** A response of the sandbox, as data. */
export interface SandboxResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** Statuses whose responses cannot have a body. */
export const bodilessStatuses: readonly number[] = [204, 205, 304]

/**
 * Codes of errors that the service description has no code for. They and the bodies of these errors are made up; the real
 * service may respond differently.
 */
const madeUpCodes: Record<number, string> = {
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'payload_too_large',
  500: 'internal_error',
  504: 'upstream_timeout',
}

const documentedCodes = Object.fromEntries(
  Object.entries(serviceErrorStatus).map(([code, status]) => [status, code]),
)

/** The code of an error with this status: the documented one if there is one. */
function codeOf(status: number): string {
  return documentedCodes[status] ?? madeUpCodes[status] ?? `status_${status}`
}

/** A 200 with a JSON body. */
export function success(body: object): SandboxResponse {
  return { status: 200, headers: jsonHeaders(), body: JSON.stringify(body) }
}

/** An error in the service's envelope. `retryAfter` is also sent as a header. */
export function errorResponse(
  requestId: string,
  status: number,
  details: {
    code?: string | undefined
    message?: string
    issues?: readonly Issue[]
    retryAfter?: number | undefined
  },
): SandboxResponse {
  const { code = codeOf(status), message, issues, retryAfter } = details
  const headers = jsonHeaders()
  if (retryAfter !== undefined) headers.set('retry-after', String(retryAfter))
  const envelope: ErrorEnvelope = {
    requestId,
    error: {
      code,
      ...(message !== undefined && { message }),
      ...(issues !== undefined && { issues: [...issues] }),
      ...(retryAfter !== undefined && { retryAfter }),
    },
  }
  return { status, headers, body: JSON.stringify(envelope) }
}

/** A 400 that names each invalid field. */
export function validationError(requestId: string, issues: readonly Issue[]): SandboxResponse {
  const listed = firstIssues(issues)
  const fields = listed.slice(0, 3).map(({ path, message }) => `${path || 'body'}: ${message}`)
  return errorResponse(requestId, 400, { message: `Invalid request: ${fields.join('; ')}`, issues: listed })
}

export function jsonHeaders(): Headers {
  return new Headers({ 'content-type': 'application/json' })
}
