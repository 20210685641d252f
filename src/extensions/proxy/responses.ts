import type { CreditBudget } from '../../index.ts'
import { creditsHeader } from '../../extend.ts'
import {
  ApiError,
  AuthenticationError,
  type Charged,
  CreditBudgetError,
  type InvalidRequestError,
  InvalidResponseError,
  PermissionDeniedError,
  SocialSearchError,
} from '../../errors/index.ts'
import { jsonText } from '../../lib/json.ts'
import { ProxyRefusal, type RefusalCode, type RefusalFields } from './request-refusal.ts'

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
  const { issues = [], retryAfter, headers = {}, charged = 'no', budget } = fields
  const wait = retryAfter === undefined ? undefined : { retryAfter: Math.ceil(retryAfter) }
  const error = { code, message, charged, ...budget, ...(issues.length > 0 && { issues }), ...wait }
  const body = JSON.stringify({ requestId, error })
  return jsonResponse(body, status, { ...headers, ...(wait && { 'retry-after': String(wait.retryAfter) }) })
}

/** The client's own errors that the browser may see, with the status and the code of each. Others may name internal hosts. */
const ownErrors: {
  readonly [Code in SocialSearchError['code']]?: readonly [status: number, code: RefusalCode]
} = {
  invalid_request: [400, 'validation_error'],
  connection: [502, 'connection_failed'],
  timeout: [504, 'timed_out'],
  redirect: [502, 'redirected'],
  credit_budget: [402, 'budget_exceeded'],
  budget_exceeded: [402, 'budget_exceeded'],
  closed: [503, 'proxy_closed'],
}

/** Whether the browser may see an error: those of the service, the network and the limits. All others stay here. */
export function isPublicError(error: unknown): error is SocialSearchError {
  if (error instanceof ApiError || error instanceof InvalidResponseError) return true
  return error instanceof SocialSearchError && error.code in ownErrors
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
  const charged = error?.charged ?? chargedOf(meter)
  const response =
    error instanceof InvalidResponseError
      ? unusableSuccess(error)
      : errorResponse(requestId, refusalOf(error, charged, isWrite))
  return addCredits(response, meter, charged)
}

function refusalOf(error: SocialSearchError | null, charged: Charged, isWrite: boolean): ProxyRefusal {
  if (error === null) {
    const fields = { charged: isWrite ? ('unknown' as const) : charged }
    return new ProxyRefusal(500, 'internal_error', 'the proxy failed', fields)
  }
  const fields = { charged: error.applied ?? error.charged }
  // The client behind the proxy adds the operation to the message again.
  const message = error.message.replace(`${error.operation}: `, '')
  if (error instanceof ApiError) {
    const { status, code, issues, retryAfter } = error
    if (refusesProxy(error)) {
      const reason = `the service refused the proxy with ${status}; only the operator of the proxy can fix this`
      return new ProxyRefusal(502, 'service_refused_proxy', reason, fields)
    }
    const isError = status >= 400 && status < 600
    // The page of a gateway may name internal hosts.
    const words = error.gateway ? `the answer ${status} is not the service's own` : message
    return new ProxyRefusal(isError ? status : 502, code, words, { ...fields, issues, retryAfter })
  }
  const { issues = [] } = error as Partial<InvalidRequestError>
  const [status, code] = ownErrors[error.code] ?? [500, 'internal_error']
  const isNetwork = error.code === 'connection'
  const words = isNetwork ? 'the connection between the proxy and the service failed' : message
  return new ProxyRefusal(status, code, words, { ...fields, issues, budget: budgetOf(error) })
}

/** The name of the budget stays here. */
function budgetOf(error: SocialSearchError): RefusalFields['budget'] {
  if (!(error instanceof CreditBudgetError)) return undefined
  const { needed, remaining, resetsAt } = error
  return { needed, remaining, resetsAt }
}

/** Passes a paid body on as it is: the caller may need less than the documented shape. */
function unusableSuccess({ body, attempts }: InvalidResponseError): Response {
  const { status = 200 } = attempts.at(-1) ?? {}
  if (status === 204 || status === 205) return jsonResponse(null, status)
  return jsonResponse(typeof body === 'string' ? body : (jsonText(body) ?? ''), status)
}

/** Whether a call that failed was charged. */
export function chargedOf(meter: CreditBudget): Charged {
  const { spent, uncertain } = meter.summary()
  return uncertain > 0 ? 'unknown' : spent > 0 ? 'yes' : 'no'
}

/** Adds what a call has cost, so that the ledger of the client behind the proxy is correct. */
export function addCredits(response: Response, meter: CreditBudget, charged: Charged): Response {
  const { spent, uncertain } = meter.summary()
  response.headers.set(creditsHeader, `spent=${spent}, uncertain=${uncertain}, charged=${charged}`)
  return response
}
