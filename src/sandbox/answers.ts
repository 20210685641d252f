import { type ErrorEnvelope, serviceErrorStatus } from '../contract/error-envelope.ts'
import type { Issue } from '../contract/issues.ts'

/**
 * What handling a request came to: the body of a 200 without its request id, what was wrong with the request, or what
 * it named that does not exist.
 */
export type Outcome<Body = object> =
  { readonly body: Body } | { readonly issues: readonly Issue[] } | { readonly missing: string }

/** An HTTP response as data. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** Statuses whose responses cannot have a body. */
export const bodiless: readonly number[] = [204, 205, 304]

/**
 * Codes for errors that the service description gives no code for. They are made up, and so are these errors'
 * bodies; the real service may well answer otherwise.
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

/** The code that an error of a status carries: the documented one where there is one. */
function codeOf(status: number): string {
  return documentedCodes[status] ?? madeUpCodes[status] ?? `status_${status}`
}

/** A 200 with a JSON body. */
export function success(body: object): Answer {
  return { status: 200, headers: jsonHeaders(), body: JSON.stringify(body) }
}

/** An error in the service's envelope. `retryAfter` goes into the header, too. */
export function failure(
  requestId: string,
  status: number,
  details: {
    code?: string | undefined
    message?: string
    issues?: readonly Issue[]
    retryAfter?: number | undefined
  },
): Answer {
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
export function invalid(requestId: string, issues: readonly Issue[]): Answer {
  const fields = issues.map(({ path, message }) => `${path || 'body'}: ${message}`)
  return failure(requestId, 400, { message: `Invalid request: ${fields.join('; ')}`, issues })
}

export function jsonHeaders(): Headers {
  return new Headers({ 'content-type': 'application/json' })
}
