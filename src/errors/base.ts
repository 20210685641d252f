import type { ServiceErrorCode } from '../contract/error-envelope.ts'

/**
 * Whether a failed call cost credits. `no`: the service said so, or nothing reached it. `yes`: a success
 * arrived that could not be used. `unknown`: it was sent, and no usable answer came back.
 */
export type Charged = 'no' | 'yes' | 'unknown'

/** One attempt of a call, as it went. */
export interface Attempt {
  /** Time spent waiting for one of the organization's slots, in milliseconds. */
  queued: number
  /** Time spent waiting for the pace of the search surface, or for a 429 to pass, in milliseconds. */
  paced: number
  /** When the request was handed to fetch, ISO 8601; null if it never was. */
  sent: string | null
  /** From sending to the last byte of the answer, or to the failure, in milliseconds. */
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

/** Codes of the errors that this package raises by itself; {@link ApiError} has the service's. */
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
 * A code that the service does not document. It is a string, compare it as `String(error.code)`; an enum is the one type
 * of strings that keeps a `switch` over the known codes exact. It exists in types only.
 */
export declare enum UndocumentedCode {
  any = '',
}

/** A code that the service sent. */
export type ApiErrorCode = ServiceErrorCode | UndocumentedCode

/** What an error tells of the call that failed. */
export interface ErrorContext {
  operation?: string | undefined
  requestId?: string | undefined
  /** All attempts taken together. */
  charged?: Charged
  attempts?: readonly Attempt[] | undefined
  /** Params of the page that failed. */
  next?: object | null | undefined
}

const doubt = '; it may have been charged'

/**
 * Base of every error that a call or the construction of a client raises. An aborted call rejects with the signal's own reason instead.
 *
 * @example
 * if (error instanceof SocialSearchError && error.charged === 'unknown') review(error.operation, error.attempts)
 */
export class SocialSearchError extends Error {
  static {
    this.prototype.name = 'SocialSearchError'
  }
  /** What happened, for a `switch`. */
  readonly code: ClientErrorCode | ApiErrorCode
  /** The service's id of the request, for its support. */
  declare readonly requestId?: string
  /** The operation that failed, such as `microblog.search`; absent for errors of construction. */
  declare readonly operation?: string
  /** Whether the call cost credits, all its attempts taken together. */
  readonly charged: Charged
  /** What was tried, in order; empty if nothing was sent. */
  readonly attempts: readonly Attempt[]
  /** For a call that walks pages: the params of the page that failed, as plain JSON, ready to be passed back. */
  declare readonly next?: object | null

  constructor(code: ClientErrorCode | ApiErrorCode, message: string, context: ErrorContext = {}) {
    const { operation, charged = 'no' } = context
    const prefix = operation === undefined ? '' : `${operation}: `
    // What comes through a proxy of one's own has said so already.
    const isOpen = charged === 'unknown' && !message.endsWith(doubt)
    super(`${prefix}${message}${isOpen ? doubt : ''}`)
    this.code = code
    this.charged = charged
    this.attempts = context.attempts ?? []
    if (context.requestId !== undefined) this.requestId = context.requestId
    if (context.operation !== undefined) this.operation = context.operation
    if (context.next !== undefined) this.next = context.next
  }

  /** What a JSON log should hold of it. */
  toJSON(): object {
    return Object.assign({ name: this.name, message: this.message }, this)
  }
}

/** A failure that several calls may meet together, such as a refused token. */
export abstract class SharedError extends SocialSearchError {
  /** The same failure, as one call tells it. */
  abstract of(context: ErrorContext): SharedError
}
