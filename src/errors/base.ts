import type { ServiceErrorCode } from '../api/error-envelope.ts'

/**
 * Whether a failed call cost credits. `no`: the service said so, or received nothing. `yes`: a success arrived, but was
 * not usable. `unknown`: the request was sent, and no usable response arrived.
 */
export type Charged = 'no' | 'yes' | 'unknown'

/** One attempt of a call. */
export interface Attempt {
  /** Time spent waiting for one of the organization's slots, in milliseconds. */
  queued: number
  /** Time spent waiting for the rate limit of the search surface, or for the end of a 429, in milliseconds. */
  paced: number
  /** When the request was passed to fetch, ISO 8601; null if it was not. */
  sent: string | null
  /** From sending to the last byte of the response, or to the failure, in milliseconds. */
  duration: number
  /** HTTP status, if the headers arrived. */
  status?: number
  /** The service's id of this attempt. */
  requestId?: string
  /** `ok`, or the code of the error that ended this attempt. */
  outcome: string
  charged: Charged
  /** Time waited after this attempt before the next one, in milliseconds. */
  waited: number
}

/** Codes of errors that this package raises itself; {@link ApiError} has the service's codes. */
export type ClientErrorCode =
  | 'configuration'
  | 'invalid_request'
  | 'connection'
  | 'timeout'
  | 'redirect'
  | 'invalid_response'
  | 'credit_budget'
  | 'budget_unavailable'
  | 'pagination'
  | 'queue_full'
  | 'invalid_event'
  | 'closed'
  | 'reauthorization_required'
  | 'oauth'
  | 'token_store'

/**
 * A code that the service does not document. At run time it is a string: compare it as `String(error.code)`. The type
 * is an enum because a `switch` over the known codes then stays exact.
 */
declare enum UndocumentedCode {
  any = '',
}

/** A code that the service sent. */
export type ApiErrorCode = ServiceErrorCode | UndocumentedCode

/** The facts of a failed call that its error contains. */
export interface ErrorContext {
  operation?: string | undefined
  requestId?: string | undefined
  /** For all attempts together. */
  charged?: Charged
  attempts?: readonly Attempt[] | undefined
  /** Params of the page that failed. */
  next?: object | null | undefined
}

const doubt = '; it may have been charged'

/**
 * Base of every error of this package. An aborted call rejects with the signal's own reason instead, and an error of your
 * own functions reaches you unchanged.
 *
 * @example
 * if (error instanceof SocialSearchError && error.charged === 'unknown') review(error.operation, error.attempts)
 */
export class SocialSearchError extends Error {
  static {
    this.prototype.name = 'SocialSearchError'
  }
  /** The kind of error, for a `switch`. */
  readonly code: ClientErrorCode | ApiErrorCode
  /** The service's id of the request, for its support. */
  declare readonly requestId?: string
  /** The operation that failed, such as `microblog.search`; absent for errors of a constructor. */
  declare readonly operation?: string
  /** Whether the call cost credits, for all attempts together. */
  readonly charged: Charged
  /** The attempts, in order; empty if nothing was sent. */
  readonly attempts: readonly Attempt[]
  /**
   * For a call with pages: the params of the page that failed, as plain JSON. Pass them to the same call to continue.
   */
  declare readonly next?: object | null

  constructor(code: ClientErrorCode | ApiErrorCode, message: string, context: ErrorContext = {}) {
    const { operation, charged = 'no' } = context
    const prefix = operation === undefined ? '' : `${operation}: `
    // The message of an error from your own proxy already ends with it.
    const isOpen = charged === 'unknown' && !message.endsWith(doubt)
    super(`${prefix}${message}${isOpen ? doubt : ''}`)
    this.code = code
    this.charged = charged
    this.attempts = context.attempts ?? []
    if (context.requestId !== undefined) this.requestId = context.requestId
    if (context.operation !== undefined) this.operation = context.operation
    if (context.next !== undefined) this.next = context.next
  }

  /** The fields for a JSON log. */
  toJSON(): object {
    return Object.assign({ name: this.name, message: this.message }, this)
  }
}

/** A failure that several calls may share, such as a refused token. */
export abstract class SharedError extends SocialSearchError {
  /** The same failure, for one of the calls. */
  abstract of(context: ErrorContext): SharedError
}
