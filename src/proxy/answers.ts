import type { Issue } from '../contract/issues.ts'
import type { CreditBudget } from '../core/credits/budget.ts'
import { type Relay, creditsHeader, writeCredits, writeRelay } from '../core/http/proxy-protocol.ts'
import {
  ApiError,
  type Charged,
  InvalidRequestError,
  InvalidResponseError,
  SocialSearchError,
} from '../errors.ts'

/** An answer to the browser, as data. */
export interface Answer {
  readonly status: number
  readonly headers: Record<string, string>
  /** JSON text, or null for none. */
  readonly body: string | null
}

/** What is said of an error. */
interface Details {
  code: string
  message: string
  issues?: readonly Issue[]
  retryAfter?: number | undefined
  relay?: Relay
}

/** An error in the service's envelope. */
export function failure(requestId: string, status: number, details: Details): Answer {
  const { code, message, issues = [], retryAfter, relay = { charged: 'no' } } = details
  const seconds = retryAfter === undefined ? undefined : Math.ceil(retryAfter)
  const error = {
    ...relay,
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

/** What the proxy will not do. */
export function refuse(requestId: string, status: number, code: string, message: string): Answer {
  return failure(requestId, status, { code, message })
}

/** A request that breaks what the service documents. */
export function invalid(requestId: string, issues: readonly Issue[]): Answer {
  const fields = issues.map(({ path, message }) => (path === '' ? message : `${path} ${message}`))
  const message = `invalid request, nothing was sent: ${fields.slice(0, 3).join('; ')}`
  return failure(requestId, 400, { code: 'validation_error', message, issues })
}

/** Statuses of the errors that the service has no words for. */
const ownStatus: Readonly<Record<string, number>> = {
  connection: 502,
  redirect: 502,
  timeout: 504,
  credit_budget: 402,
  queue_full: 503,
  closed: 503,
}

/** Whether the browser may hear of an error: of those of the service, its network and its limits. All else stays here. */
export function isRelayed(error: unknown): error is SocialSearchError {
  if (error instanceof ApiError || error instanceof InvalidRequestError) return true
  if (error instanceof InvalidResponseError) return true
  return error instanceof SocialSearchError && Object.hasOwn(ownStatus, error.code)
}

/** What the browser is told of a call that failed; null stands for an error that it may not hear of. */
export function answerTo(error: SocialSearchError | null, requestId: string, meter: CreditBudget): Answer {
  const { spent, uncertain } = meter
  const charged = error?.charged ?? (uncertain > 0 ? 'unknown' : spent > 0 ? 'yes' : 'no')
  const answer =
    (error && toAnswer(error, requestId)) ?? internalError(error?.requestId ?? requestId, charged)
  return withCredits(answer, meter, charged)
}

function internalError(requestId: string, charged: Charged): Answer {
  return failure(requestId, 500, {
    code: 'internal_error',
    message: 'the proxy failed',
    relay: { charged },
  })
}

function toAnswer(error: SocialSearchError, ownId: string): Answer | null {
  const { requestId = ownId } = error
  if (error instanceof InvalidRequestError) return invalid(requestId, error.issues)
  if (error instanceof InvalidResponseError) return asItCame(error)
  // The client behind the proxy puts the operation before the message, too.
  const message = error.message.replace(`${error.operation}: `, '')
  const details = { code: error.code as string, message, relay: writeRelay(error) }
  if (error instanceof ApiError) {
    const { status, issues, retryAfter } = error
    return failure(requestId, status >= 400 && status < 600 ? status : 502, {
      ...details,
      issues,
      retryAfter,
    })
  }
  const words =
    error.code === 'connection' ? 'the connection between the proxy and the service failed' : message
  return failure(requestId, ownStatus[details.code] ?? 500, { ...details, message: words })
}

/**
 * What was paid for is passed on, whatever it is: the caller may ask for less than the documented shape. Null for what is
 * nested so deeply that it cannot be written again.
 */
function asItCame({ body, attempts }: InvalidResponseError): Answer | null {
  const status = attempts.at(-1)?.status ?? 200
  if (status === 204 || status === 205) return { status, headers: {}, body: null }
  try {
    return { status, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) }
  } catch {
    return null
  }
}

/** Adds what a call has cost, so that the ledger of the client behind the proxy comes out right. */
export function withCredits(answer: Answer, { spent, uncertain }: CreditBudget, charged: Charged): Answer {
  const told = writeCredits({ spent, uncertain, charged })
  return { ...answer, headers: { ...answer.headers, [creditsHeader]: told } }
}

export function toResponse({ status, headers, body }: Answer, more: Record<string, string>): Response {
  return new Response(body, {
    status,
    headers: {
      ...(body !== null && { 'content-type': 'application/json' }),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
      ...more,
    },
  })
}
