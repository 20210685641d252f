import { isRecord } from '../lib/is-record.ts'
import { type Issue, firstIssues } from './issues.ts'

/** Codes that the service documents for its errors (service description, part 7), each with its HTTP status. */
export const serviceErrorStatus = {
  validation_error: 400,
  unauthorized: 401,
  rate_limited: 429,
  upstream_error: 502,
  professionalnet_unavailable: 503,
} as const

export type ServiceErrorCode = keyof typeof serviceErrorStatus

/** The body of an error, as the service documents it. */
export interface ErrorEnvelope {
  requestId: string
  error: {
    /** One of {@link ServiceErrorCode}, or a code that is not documented. */
    code: string
    message?: string
    /** On `validation_error`: each invalid field. */
    issues?: Issue[]
    /** Seconds until a retry is welcome. */
    retryAfter?: number
  }
}

/**
 * Reads the service's error envelope; returns null for any other body, such as the error page of a proxy. Only
 * `requestId` and `error.code` decide, both not empty: invalid details are dropped.
 */
export function readErrorEnvelope(body: unknown): ErrorEnvelope | null {
  if (!isRecord(body) || !isRecord(body['error'])) return null
  const { requestId } = body
  const { code, message, issues, retryAfter = body['retryAfter'] } = body['error']
  if (typeof requestId !== 'string' || requestId === '' || typeof code !== 'string' || code === '')
    return null
  return {
    requestId,
    error: {
      code,
      ...(typeof message === 'string' && { message }),
      ...(Array.isArray(issues) && { issues: firstIssues(issues.filter(isIssue)) }),
      ...(typeof retryAfter === 'number' && { retryAfter }),
    },
  }
}

function isIssue(value: unknown): value is Issue {
  return isRecord(value) && typeof value['path'] === 'string' && typeof value['message'] === 'string'
}
