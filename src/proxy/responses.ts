import type { Issue } from '../api/issues.ts'
import type { CreditBudget } from '../core/credits/budget.ts'
import {
  type ProxyErrorFields,
  creditsHeader,
  writeCredits,
  writeProxyError,
} from '../core/http/proxy-protocol.ts'
import {
  ApiError,
  type Charged,
  InvalidRequestError,
  InvalidResponseError,
  SocialSearchError,
} from '../errors/index.ts'
import { jsonText } from '../lib/json.ts'

/** A response to the browser, as data. */
export interface ProxyResponse {
  readonly status: number
  readonly headers: Record<string, string>
  /** JSON text, or null for none. */
  readonly body: string | null
}

/** An error in the service's envelope; `details` are fields of the proxy protocol. Default: nothing was charged. */
export function errorResponse(
  requestId: string,
  status: number,
  code: string,
  message: string,
  more: { issues?: readonly Issue[]; retryAfter?: number | undefined; details?: ProxyErrorFields } = {},
): ProxyResponse {
  const { issues = [], retryAfter, details = { charged: 'no' } } = more
  const seconds = retryAfter === undefined ? undefined : Math.ceil(retryAfter)
  const error = {
    ...details,
    code,
    message,
    ...(issues.length > 0 && { issues }),
    ...(seconds !== undefined && { retryAfter: seconds }),
  }
  return {
    status,
    headers: seconds === undefined ? {} : { 'retry-after': String(seconds) },
    body: JSON.stringify({ requestId, error }),
  }
}

/** A 400 for a request that breaks the documented bounds. */
export function validationError(requestId: string, issues: readonly Issue[]): ProxyResponse {
  const fields = issues.map(({ path, message }) => (path === '' ? message : `${path} ${message}`))
  const message = `invalid request, nothing was sent: ${fields.slice(0, 3).join('; ')}`
  return errorResponse(requestId, 400, 'validation_error', message, { issues })
}

/** Statuses of the client's own errors, which the service does not have. */
const statusOfCode: Readonly<Record<string, number>> = {
  connection: 502,
  redirect: 502,
  timeout: 504,
  credit_budget: 402,
  queue_full: 503,
  closed: 503,
}

/** Whether the browser may see an error: those of the service, the network and the limits. All others stay here. */
export function isPublicError(error: unknown): error is SocialSearchError {
  if (error instanceof ApiError || error instanceof InvalidRequestError) return true
  if (error instanceof InvalidResponseError) return true
  return error instanceof SocialSearchError && Object.hasOwn(statusOfCode, error.code)
}

/** The response to a call that failed; null stands for an error that the browser may not see. */
export function failedCall(
  error: SocialSearchError | null,
  requestId: string,
  meter: CreditBudget,
  isWrite: boolean,
): ProxyResponse {
  const { spent, uncertain } = meter
  const charged = error?.charged ?? (uncertain > 0 ? 'unknown' : spent > 0 ? 'yes' : 'no')
  const response =
    (error && publicError(error, requestId)) ??
    errorResponse(error?.requestId ?? requestId, 500, 'internal_error', 'the proxy failed', {
      details: { charged, ...(isWrite && { applied: 'unknown' }) },
    })
  return withCreditsHeader(response, meter, charged)
}

function publicError(error: SocialSearchError, ownId: string): ProxyResponse | null {
  const { requestId = ownId } = error
  if (error instanceof InvalidRequestError) return validationError(requestId, error.issues)
  if (error instanceof InvalidResponseError) return unusableSuccess(error)
  const code: string = error.code
  // The client behind the proxy adds the operation to the message again.
  const message = error.message.replace(`${error.operation}: `, '')
  const details = writeProxyError(error)
  if (error instanceof ApiError) {
    const { status, issues, retryAfter } = error
    const isError = status >= 400 && status < 600
    return errorResponse(requestId, isError ? status : 502, code, message, { issues, retryAfter, details })
  }
  const words = code === 'connection' ? 'the connection between the proxy and the service failed' : message
  return errorResponse(requestId, statusOfCode[code] ?? 500, code, words, { details })
}

/** Passes a paid body on as it is: the caller may need less than the documented shape. */
function unusableSuccess({ body, attempts }: InvalidResponseError): ProxyResponse {
  const status = attempts.at(-1)?.status ?? 200
  if (status === 204 || status === 205) return { status, headers: {}, body: null }
  return { status, headers: {}, body: typeof body === 'string' ? body : jsonText(body) }
}

/** Adds what a call has cost, so that the ledger of the client behind the proxy is correct. */
export function withCreditsHeader(
  response: ProxyResponse,
  { spent, uncertain }: CreditBudget,
  charged: Charged,
): ProxyResponse {
  const credits = writeCredits({ spent, uncertain, charged })
  return { ...response, headers: { ...response.headers, [creditsHeader]: credits } }
}

export function toResponse(
  { status, headers, body }: ProxyResponse,
  corsHeaders: Record<string, string>,
): Response {
  return new Response(body, {
    status,
    headers: {
      ...(body !== null && { 'content-type': 'application/json' }),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
      ...corsHeaders,
    },
  })
}
