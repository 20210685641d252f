import { type ServiceError, readServiceError } from '../../api/error-envelope.ts'
import type { ApiError, ApiErrorDetails, Charged, RefusedBudget } from '../../errors/index.ts'
import type { Redactor } from '../../lib/redactor.ts'
import type { Log } from '../../lib/logger.ts'
import { isRecord, parseJson } from '../../lib/json.ts'
import type { CallCredits } from '../../errors/facts.ts'

/** The fields of an API's own error body. */
export interface ErrorBody extends Partial<ServiceError> {
  /** Makes the error, instead of the class for the status. */
  readonly toError?: (details: ApiErrorDetails) => ApiError
}

type Replacer = (name: string, value: unknown) => unknown

/** The JSON and error formats of an API. */
export interface BodyFormat {
  /** Media types of responses and errors. */
  readonly accept: string
  /** @throws if the value cannot be serialized. */
  readonly stringify: (value: unknown, replacer?: Replacer) => string | undefined
  /** Parses an answer. @throws if the text is not JSON. */
  readonly parse: (text: string) => unknown
  /** Parses what `stringify` has written. */
  readonly parseOwn: (text: string) => unknown
  /** Reads an error body; null if it is not the API's own, but a proxy's, for example. */
  readonly readError: (body: unknown) => ErrorBody | null
}

export const serviceFormat: BodyFormat = {
  accept: 'application/json',
  stringify: JSON.stringify,
  parse: (text) => parseJson(text),
  parseOwn: JSON.parse,
  readError: readServiceError,
}

/** Longest request id that is kept, in characters: ids end up in logs. */
const maxLength = 128

/** The request id of a body, redacted and printable; undefined if it is missing. */
export function requestIdOf(body: unknown, redactor: Redactor): string | undefined {
  const requestId = (body as { requestId?: unknown } | null | undefined)?.requestId
  if (typeof requestId !== 'string') return undefined
  // Without the removed characters, two parts may have become a secret.
  return redactor.text(requestId.replaceAll(/[^\x21-\x7e]/g, '')).slice(0, maxLength) || undefined
}

/**
 * Logs what the service announces about the end of an operation: `Deprecation` (RFC 9745) and `Sunset` (RFC 8594).
 *
 * @param told The operations of which it was logged before.
 * @param redactor Knows the token of the attempt; that of the log may have forgotten it.
 */
export function logEndOfLife(
  told: Set<string>,
  operation: string,
  { headers }: Response,
  log: Log,
  redactor: Redactor,
): void {
  if (told.has(operation)) return
  try {
    const [deprecation, sunset] = ['deprecation', 'sunset'].map((name) => headers.get(name))
    if (deprecation === null && sunset === null) return
    told.add(operation)
    const found = redactor.data({ operation, deprecation, sunset })
    log('warn', 'the service announces the end of this call', found)
  } catch {
    // The headers of a user's `fetch` may throw, after the call has been paid for.
  }
}

// A proxy with this package says what a call has cost. The service itself does not.

/** Response header with the cost of a call, all attempts included. */
export const creditsHeader = 'social-search-credits'

const creditsForm =
  /^spent=(\d{1,9}(?:\.\d{1,6})?), uncertain=(\d{1,9}(?:\.\d{1,6})?), charged=(no|yes|unknown)$/

/** Null if the header is missing or malformed. */
export function readCredits(headers: Headers): (CallCredits & { readonly charged: Charged }) | null {
  const match = creditsForm.exec(headers.get(creditsHeader) ?? '')
  return match && { spent: Number(match[1]), uncertain: Number(match[2]), charged: match[3] as Charged }
}

/**
 * Whether the call of an error body was charged, or for a write, applied. Null if a proxy does not say it. The body has it
 * too, since a page of another origin may not see the header.
 */
export function readCharged(body: unknown): Charged | null {
  const error = errorOf(body)
  return (['no', 'yes', 'unknown'] as const).find((charged) => charged === error['charged']) ?? null
}

/** What a proxy tells of an error behind it: which of its budgets refused the call, and how far a request came. */
export function readProxied(body: unknown): { budget?: RefusedBudget; phase: unknown } {
  const { needed, remaining, resetsAt, whose, phase } = errorOf(body)
  if (typeof needed !== 'number' || typeof remaining !== 'number') return { phase }
  const budget = {
    needed,
    remaining,
    resetsAt: typeof resetsAt === 'number' ? resetsAt : undefined,
    whose: whose === 'user' || whose === 'all' ? whose : undefined,
  } as const
  return { phase, budget }
}

function errorOf(body: unknown): Readonly<Record<string, unknown>> {
  return isRecord(body) && isRecord(body['error']) ? body['error'] : {}
}
