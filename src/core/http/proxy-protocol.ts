import { isRecord } from '../../lib/is-record.ts'
import {
  ApiError,
  type ApiErrorDetails,
  type Applied,
  type Charged,
  ClosedError,
  ConnectionError,
  CreditBudgetError,
  RedirectError,
  type SocialSearchError,
  TimeoutError,
} from '../../errors/index.ts'

/**
 * What a proxy with this package adds to responses, for a client behind it: the cost of the call, and errors that the
 * service does not have. The service itself sends neither.
 */

/** Response header with the cost of a call, all attempts included. */
export const creditsHeader = 'social-search-credits'

/** The cost of a call, as a proxy reports it. */
export interface ReportedCredits {
  readonly spent: number
  readonly uncertain: number
  readonly charged: Charged
}

export function writeCredits({ spent, uncertain, charged }: ReportedCredits): string {
  return `spent=${spent}, uncertain=${uncertain}, charged=${charged}`
}

const creditsForm =
  /^spent=(\d{1,9}(?:\.\d{1,6})?), uncertain=(\d{1,9}(?:\.\d{1,6})?), charged=(no|yes|unknown)$/

/** Null if the header is missing or malformed. */
export function readCredits(headers: Headers): ReportedCredits | null {
  const match = creditsForm.exec(headers.get(creditsHeader) ?? '')
  return match && { spent: Number(match[1]), uncertain: Number(match[2]), charged: match[3] as Charged }
}

/** Fields of `error` in an error body, beyond those that the service documents. */
export interface ProxyErrorFields {
  charged: Charged
  applied?: Applied
  [detail: string]: unknown
}

/** Fields that a proxy adds to an error body: `charged`, and what {@link readProxyError} needs to rebuild the error. */
export function writeProxyError(error: SocialSearchError): ProxyErrorFields {
  const { charged, applied } = error
  const outcome = { charged, ...(applied && { applied }) }
  if (error instanceof ApiError) return { ...outcome, ...(error.gateway && { gateway: true }) }
  // `by` marks the error as the proxy's: the service may have the same code, such as `timeout`.
  return { ...outcome, by: 'proxy', ...detailsOf(error) }
}

/** Only these: other errors may name internal hosts. */
function detailsOf(error: SocialSearchError): Record<string, unknown> {
  if (error instanceof ConnectionError) {
    // A reason that is not a code may do so, too.
    const reason = /^[A-Z][A-Z0-9_]{1,40}$/.test(error.reason) ? error.reason : unreported
    return { phase: error.phase, reason }
  }
  if (error instanceof RedirectError) return { status: error.status }
  if (error instanceof TimeoutError) return { phase: error.phase }
  if (error instanceof CreditBudgetError) return { needed: error.needed, remaining: error.remaining }
  return {}
}

const unreported = 'not reported by the proxy'

/** What a proxy with this package says of an error. It has already retried, and its message is complete. */
export interface ProxyError {
  /** Whether the call was charged; for a write, whether it was applied. */
  readonly tookEffect: Charged
  /** Whether the proxy got its answer from a server that is not the service. */
  readonly gateway: boolean
  /** Makes an error of this package's own class, instead of the class for the status. */
  readonly toError?: (details: ApiErrorDetails) => SocialSearchError | undefined
}

/** Reads what {@link writeProxyError} added to an error body; null if it added nothing. */
export function readProxyError(body: unknown): ProxyError | null {
  const error = isRecord(body) && isRecord(body['error']) ? body['error'] : {}
  const { code, charged, applied, by, gateway } = error
  if (!isOneOf(charged, ['no', 'yes', 'unknown'])) return null
  const isOwn = by === 'proxy' && typeof code === 'string' && Object.hasOwn(errorFactories, code)
  const toError = isOwn ? errorFactories[code] : undefined
  return {
    tookEffect: applied === 'unknown' ? applied : charged,
    gateway: gateway === true,
    ...(toError && { toError: (details) => toError(error, details) }),
  }
}

/**
 * Rebuilds this package's own errors, by code. A missing word gets the most cautious value; without a number, the error stays
 * one of the API.
 */
const errorFactories: Record<
  string,
  (reported: Record<string, unknown>, details: ApiErrorDetails) => SocialSearchError | undefined
> = {
  connection: ({ phase, reason }, { message, ...context }) =>
    new ConnectionError(message, {
      ...context,
      phase: isOneOf(phase, ['connect', 'tls', 'exchange']) ? phase : 'exchange',
      reason: typeof reason === 'string' ? reason.slice(0, 100) : unreported,
    }),
  timeout: ({ phase }, { message, ...context }) =>
    new TimeoutError(message, {
      ...context,
      phase: isOneOf(phase, ['queue', 'headers', 'body', 'wait']) ? phase : 'headers',
    }),
  redirect: ({ status }, { message, ...context }) =>
    new RedirectError(message, { ...context, status: typeof status === 'number' ? status : undefined }),
  credit_budget: ({ needed, remaining }, context) =>
    typeof needed === 'number' && typeof remaining === 'number'
      ? new CreditBudgetError({ needed, remaining }, { ...context, hasCeiling: false })
      : undefined,
  closed: (_, context) => new ClosedError(context),
}

function isOneOf<const T extends string>(value: unknown, allowed: readonly T[]): value is T {
  return (allowed as readonly unknown[]).includes(value)
}
