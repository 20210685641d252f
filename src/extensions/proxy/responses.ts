import type { CreditBudget } from '../../index.ts'
import { type ProxiedCode, creditsHeader } from '../../extend.ts'
import {
  ApiError,
  AuthenticationError,
  type Charged,
  InvalidRequestError,
  InvalidResponseError,
  PermissionDeniedError,
  SocialSearchError,
} from '../../errors/index.ts'
import { jsonText } from '../../lib/json.ts'
import { ProxyRefusal, invalidRequest } from './request-refusal.ts'

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
export function errorResponse(requestId: string, { status, code, message, fields }: ProxyRefusal): Response {
  const { issues = [], retryAfter, headers = {}, details = { charged: 'no' } } = fields
  const wait = retryAfter === undefined ? undefined : { retryAfter: Math.ceil(retryAfter) }
  const error = { ...details, code, message, ...(issues.length > 0 && { issues }), ...wait }
  const body = JSON.stringify({ requestId, error })
  return jsonResponse(body, status, { ...headers, ...(wait && { 'retry-after': String(wait.retryAfter) }) })
}

/** The client's own errors that the browser may see, with the status of each. Others may name internal hosts. */
const ownStatus: Readonly<Record<ProxiedCode, number>> = {
  connection: 502,
  timeout: 504,
  redirect: 502,
  credit_budget: 402,
  closed: 503,
}

/** What rebuilds such an error behind the proxy. */
function ownFields(error: object): object {
  const { phase, status, needed, remaining, reason }: Record<string, unknown> = { ...error }
  // A reason that is not a code may name an internal host, too.
  const isCode = /^[A-Z][A-Z0-9_]{1,40}$/.test(String(reason))
  return { phase, status, needed, remaining, ...(isCode && { reason }) }
}

/** Whether the browser may see an error: those of the service, the network and the limits. All others stay here. */
export function isPublicError(error: unknown): error is SocialSearchError {
  if (error instanceof ApiError || error instanceof InvalidRequestError) return true
  return error instanceof SocialSearchError && (error.code === 'invalid_response' || error.code in ownStatus)
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
  const { spent, uncertain } = meter.summary()
  const charged = error?.charged ?? (uncertain > 0 ? 'unknown' : spent > 0 ? 'yes' : 'no')
  const response =
    error instanceof InvalidResponseError
      ? unusableSuccess(error)
      : errorResponse(error?.requestId ?? requestId, refusalOf(error, charged, isWrite))
  return addCredits(response, meter, charged)
}

function refusalOf(error: SocialSearchError | null, charged: Charged, isWrite: boolean): ProxyRefusal {
  if (error === null) {
    const details = { charged, ...(isWrite && { applied: 'unknown' as const }) }
    return new ProxyRefusal(500, 'internal_error', 'the proxy failed', { details })
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
      return new ProxyRefusal(502, 'service_refused_proxy', reason, { details })
    }
    const isError = status >= 400 && status < 600
    return new ProxyRefusal(isError ? status : 502, code, message, { issues, retryAfter, details })
  }
  const words = code === 'connection' ? 'the connection between the proxy and the service failed' : message
  // `by` marks the error as the proxy's: the service may have the same code, such as `timeout`.
  const details = { ...outcome, by: 'proxy' as const, ...ownFields(error) }
  return new ProxyRefusal(ownStatus[code as ProxiedCode], code, words, { details })
}

/** Passes a paid body on as it is: the caller may need less than the documented shape. */
function unusableSuccess({ body, attempts }: InvalidResponseError): Response {
  const { status = 200 } = attempts.at(-1) ?? {}
  if (status === 204 || status === 205) return jsonResponse(null, status)
  return jsonResponse(typeof body === 'string' ? body : (jsonText(body) ?? ''), status)
}

/** Adds what a call has cost, so that the ledger of the client behind the proxy is correct. */
export function addCredits(response: Response, meter: CreditBudget, charged: Charged): Response {
  const { spent, uncertain } = meter.summary()
  response.headers.set(creditsHeader, `spent=${spent}, uncertain=${uncertain}, charged=${charged}`)
  return response
}
