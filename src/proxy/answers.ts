import type { Issue } from '../contract/issues.ts'
import type { CreditBudget } from '../core/budget.ts'
import { type Relay, creditsHeader, writeCredits, writeRelay } from '../core/relay.ts'
import {
  ApiError,
  type Charged,
  ConfigurationError,
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

/** What the browser is told of a call that failed. What is not an error of the service or the network stays here. */
export function answerTo(error: unknown, requestId: string, meter: CreditBudget): Answer {
  const { spent, uncertain } = meter
  const known = error instanceof SocialSearchError && !(error instanceof ConfigurationError)
  const charged: Charged = known ? error.charged : uncertain > 0 ? 'unknown' : spent > 0 ? 'yes' : 'no'
  const answer = known
    ? toAnswer(error, requestId)
    : failure(requestId, 500, {
        code: 'internal_error',
        message: 'the proxy failed',
        relay: { charged },
      })
  return withCredits(answer, meter, charged)
}

function toAnswer(error: SocialSearchError, ownId: string): Answer {
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

/** What was paid for is passed on, whatever it is: the caller may ask for less than the documented shape. */
function asItCame({ body, attempts }: InvalidResponseError): Answer {
  const status = attempts.at(-1)?.status ?? 200
  if (status === 204 || status === 205) return { status, headers: {}, body: null }
  return { status, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) }
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
