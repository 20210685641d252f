import type { Budget, CreditBudget } from '../../index.ts'
import { type CallCredits, creditsHeader } from '../../extend.ts'
import { type Charged, InvalidResponseError, type SocialSearchError } from '../../errors/index.ts'
import { shallowJson } from '../../lib/json.ts'
import { type ProxyRefusal, refusalOf } from './error-statuses.ts'

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
  const { issues = [], retryAfter, headers = {}, charged = 'no', budget, phase } = fields
  const wait = retryAfter === undefined ? undefined : { retryAfter: Math.ceil(retryAfter) }
  const error = { code, message, charged, ...budget, phase, ...(issues.length > 0 && { issues }), ...wait }
  const body = JSON.stringify({ requestId, error })
  return jsonResponse(body, status, { ...headers, ...(wait && { 'retry-after': String(wait.retryAfter) }) })
}

/** The response to a call that failed; null stands for an error that the browser may not see. */
export function failedCall(
  error: SocialSearchError | null,
  requestId: string,
  meter: CreditBudget,
  isWrite: boolean,
  userBudget: Budget | undefined,
): Response {
  const charged = error?.charged ?? chargedOf(meter)
  const response =
    error instanceof InvalidResponseError
      ? unusableSuccess(error)
      : errorResponse(requestId, refusalOf(error, charged, isWrite, userBudget))
  return addCredits(response, meter.summary(), charged)
}

/** Passes a paid body on as it is: the caller may need less than the documented shape. */
function unusableSuccess({ body, attempts }: InvalidResponseError): Response {
  const { status = 200 } = attempts.at(-1) ?? {}
  if (status === 204 || status === 205) return jsonResponse(null, status)
  return jsonResponse(typeof body === 'string' ? body : (shallowJson(body) ?? ''), status)
}

/** Whether a call that failed was charged. */
export function chargedOf(meter: CreditBudget): Charged {
  const { spent, uncertain } = meter.summary()
  return uncertain > 0 ? 'unknown' : spent > 0 ? 'yes' : 'no'
}

/** Adds what a call has cost, so that the ledger of the client behind the proxy is correct. */
export function addCredits(
  response: Response,
  { spent, uncertain }: CallCredits,
  charged: Charged,
): Response {
  response.headers.set(creditsHeader, `spent=${spent}, uncertain=${uncertain}, charged=${charged}`)
  return response
}
