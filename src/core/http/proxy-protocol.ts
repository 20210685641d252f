import { isRecord } from '../../lib/is-record.ts'
import {
  type ApiErrorDetails,
  type Charged,
  type ClientErrorCode,
  ClosedError,
  ConnectionError,
  CreditBudgetError,
  RedirectError,
  type SocialSearchError,
  TimeoutError,
} from '../../errors/index.ts'

/**
 * Reads what a proxy with this package adds to responses, for a client behind it: the cost of the call, and errors that the
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

const creditsForm =
  /^spent=(\d{1,9}(?:\.\d{1,6})?), uncertain=(\d{1,9}(?:\.\d{1,6})?), charged=(no|yes|unknown)$/

/** Null if the header is missing or malformed. */
export function readCredits(headers: Headers): ReportedCredits | null {
  const match = creditsForm.exec(headers.get(creditsHeader) ?? '')
  return match && { spent: Number(match[1]), uncertain: Number(match[2]), charged: match[3] as Charged }
}

/** What a proxy with this package says of an error. It has already retried, and its message is complete. */
export interface ProxyError {
  /** Whether the call was charged; for a write, whether it was applied. */
  readonly tookEffect: Charged
  /** Whether the proxy got its answer from a server that is not the service. */
  readonly gateway: boolean
  /** Makes an error of this package's own class, instead of the class for the status. */
  readonly toError?: (details: ApiErrorDetails) => SocialSearchError | undefined
}

/** Reads what a proxy added to an error body: `charged`, and what rebuilds the error. Null if it added nothing. */
export function readProxyError(body: unknown): ProxyError | null {
  const error = isRecord(body) && isRecord(body['error']) ? body['error'] : {}
  const { code, charged, applied, by, gateway } = error
  if (!isOneOf(charged, ['no', 'yes', 'unknown'])) return null
  const isOwn = by === 'proxy' && typeof code === 'string' && Object.hasOwn(errorFactories, code)
  const toError = isOwn ? errorFactories[code as ProxiedCode] : undefined
  return {
    tookEffect: applied === 'unknown' ? applied : charged,
    gateway: gateway === true,
    ...(toError && { toError: (details) => toError(error, details) }),
  }
}

/** Codes of this package's own errors that a proxy passes on. */
export type ProxiedCode = Extract<
  ClientErrorCode,
  'connection' | 'timeout' | 'redirect' | 'credit_budget' | 'closed'
>

/**
 * Rebuilds this package's own errors, by code. A missing word gets the most cautious value; without a number, the error stays
 * one of the API.
 */
const errorFactories: Record<
  ProxiedCode,
  (reported: Record<string, unknown>, details: ApiErrorDetails) => SocialSearchError | undefined
> = {
  connection: ({ phase, reason }, { message, ...context }) =>
    new ConnectionError(message, {
      ...context,
      phase: isOneOf(phase, ['connect', 'tls', 'exchange']) ? phase : 'exchange',
      reason: typeof reason === 'string' ? reason.slice(0, 100) : 'not reported by the proxy',
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
