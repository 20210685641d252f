import type { CreditBudget } from '../../index.ts'
import { creditsHeader } from '../../extend.ts'
import {
  ApiError,
  AuthenticationError,
  type Charged,
  ClosedError,
  ConnectionError,
  CreditBudgetError,
  InvalidRequestError,
  InvalidResponseError,
  PermissionDeniedError,
  RedirectError,
  type SocialSearchError,
  TimeoutError,
} from '../../errors/index.ts'
import { jsonText } from '../../lib/json.ts'
import { Refusal, invalidRequest } from './request-refusal.ts'

/**
 * A response to the browser.
 *
 * @param body JSON text, or null for none.
 */
export function jsonResponse(
  body: string | null,
  status: number,
  headers: Record<string, string> = {},
): Response {
  const type = body === null ? undefined : { 'content-type': 'application/json' }
  const fixed = { ...type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
  return new Response(body, { status, headers: { ...fixed, ...headers } })
}

/** A refusal in the service's envelope. */
export function errorResponse(requestId: string, { status, code, message, fields }: Refusal): Response {
  const { issues = [], retryAfter, headers = {}, details = { charged: 'no' } } = fields
  const wait = retryAfter === undefined ? undefined : { retryAfter: Math.ceil(retryAfter) }
  const error = { ...details, code, message, ...(issues.length > 0 && { issues }), ...wait }
  const body = JSON.stringify({ requestId, error })
  return jsonResponse(body, status, { ...headers, ...(wait && { 'retry-after': String(wait.retryAfter) }) })
}

/**
 * The client's own errors that the browser may see: the status of each, which the service does not have, and what rebuilds it
 * behind the proxy. Undefined for others, which may name internal hosts.
 */
function ownError(error: unknown): { status: number; fields: Record<string, unknown> } | undefined {
  if (error instanceof ConnectionError) {
    // A reason that is not a code may name one, too.
    const reason = /^[A-Z][A-Z0-9_]{1,40}$/.test(error.reason) ? error.reason : undefined
    return { status: 502, fields: { phase: error.phase, reason } }
  }
  if (error instanceof RedirectError) return { status: 502, fields: { status: error.status } }
  if (error instanceof TimeoutError) return { status: 504, fields: { phase: error.phase } }
  if (error instanceof CreditBudgetError)
    return { status: 402, fields: { needed: error.needed, remaining: error.remaining } }
  return error instanceof ClosedError ? { status: 503, fields: {} } : undefined
}

/** Whether the browser may see an error: those of the service, the network and the limits. All others stay here. */
export function isPublicError(error: unknown): error is SocialSearchError {
  const isOfService = error instanceof ApiError || error instanceof InvalidRequestError
  return isOfService || error instanceof InvalidResponseError || ownError(error) !== undefined
}

/** Whether the service, or a firewall, refused the proxy: nothing that the page can fix. */
export function refusesProxy(error: SocialSearchError): boolean {
  return error instanceof AuthenticationError || error instanceof PermissionDeniedError
}

/** The response to a call that failed; null stands for an error that the browser may not see. */
export function failedCall(
  error: SocialSearchError | null,
  requestId: string,
  meter: CreditBudget,
  isWrite: boolean,
): Response {
  const { spent, uncertain } = meter
  const charged = error?.charged ?? (uncertain > 0 ? 'unknown' : spent > 0 ? 'yes' : 'no')
  const response =
    error instanceof InvalidResponseError
      ? unusableSuccess(error)
      : errorResponse(error?.requestId ?? requestId, refusalOf(error, charged, isWrite))
  return addCredits(response, meter, charged)
}

function refusalOf(error: SocialSearchError | null, charged: Charged, isWrite: boolean): Refusal {
  if (error === null) {
    const details = { charged, ...(isWrite && { applied: 'unknown' as const }) }
    return new Refusal(500, 'internal_error', 'the proxy failed', { details })
  }
  if (error instanceof InvalidRequestError) return invalidRequest(error.issues)
  const code: string = error.code
  // The client behind the proxy adds the operation to the message again.
  const message = error.message.replace(`${error.operation}: `, '')
  const outcome = { charged: error.charged, ...(error.applied && { applied: error.applied }) }
  if (error instanceof ApiError) {
    const details = { ...outcome, ...(error.gateway && { gateway: true }) }
    const { status, issues, retryAfter } = error
    if (refusesProxy(error)) {
      const reason = `the service refused the proxy with ${status}; only the operator of the proxy can fix this`
      return new Refusal(502, 'service_refused_proxy', reason, { details })
    }
    const isError = status >= 400 && status < 600
    return new Refusal(isError ? status : 502, code, message, { issues, retryAfter, details })
  }
  const words = code === 'connection' ? 'the connection between the proxy and the service failed' : message
  const { status = 500, fields } = ownError(error) ?? {}
  // `by` marks the error as the proxy's: the service may have the same code, such as `timeout`.
  return new Refusal(status, code, words, { details: { ...outcome, by: 'proxy', ...fields } })
}

/** Passes a paid body on as it is: the caller may need less than the documented shape. */
function unusableSuccess({ body, attempts }: InvalidResponseError): Response {
  const { status = 200 } = attempts.at(-1) ?? {}
  if (status === 204 || status === 205) return jsonResponse(null, status)
  return jsonResponse(typeof body === 'string' ? body : (jsonText(body) ?? ''), status)
}

/** Adds what a call has cost, so that the ledger of the client behind the proxy is correct. */
export function addCredits(
  response: Response,
  { spent, uncertain }: CreditBudget,
  charged: Charged,
): Response {
  response.headers.set(creditsHeader, `spent=${spent}, uncertain=${uncertain}, charged=${charged}`)
  return response
}
