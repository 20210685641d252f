import { isRecord } from '../lib/json.ts'
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

/** The code of a status, also of one that another server sent: the documented one, if there is one. */
export function codeOfStatus(status: number): string {
  return Object.entries(serviceErrorStatus).find(([, each]) => each === status)?.[0] ?? `http_${status}`
}

/** An error, as the service describes it. */
export interface ServiceError {
  /** One of {@link ServiceErrorCode}, or a code that is not documented. */
  code: string
  message?: string
  /** On `validation_error`: each invalid field. */
  issues?: Issue[]
}

/**
 * Reads the error of a body, without its announced wait; returns null for a body that is not the service's, such as the
 * error page of a proxy. Only `requestId` and `error.code` decide, both not empty: invalid details are dropped.
 */
export function readServiceError(body: unknown): ServiceError | null {
  if (!isRecord(body) || !isRecord(body['error'])) return null
  const { requestId } = body
  const { code, message, issues } = body['error']
  if (typeof requestId !== 'string' || requestId === '' || typeof code !== 'string' || code === '')
    return null
  return {
    code,
    ...(typeof message === 'string' && { message }),
    ...(Array.isArray(issues) && { issues: firstIssues(issues.filter(isIssue)) }),
  }
}

function isIssue(value: unknown): value is Issue {
  return isRecord(value) && typeof value['path'] === 'string' && typeof value['message'] === 'string'
}
