import type { ServiceErrorCode } from '../api/error-envelope.ts'

/**
 * Whether a failed call cost credits. `no`: the service said so, or received nothing. `yes`: a success arrived, but was
 * not usable. `unknown`: the request was sent, and no usable response arrived.
 */
export type Charged = 'no' | 'yes' | 'unknown'

/**
 * Whether a failed write changed data. `no`: the service refused it, or received nothing. `unknown`: the request was sent,
 * and the response does not tell.
 */
export type Applied = 'no' | 'unknown'

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
  /** HTTP status of the service, if its headers arrived. */
  status?: number
  /** The service's id of this attempt. */
  requestId?: string
  /** `ok`, or the code of the error that ended this attempt. */
  outcome: string
  charged: Charged
  /** Time waited after this attempt, in milliseconds. A wait for the end of a 429 is in `paced` of the next attempt. */
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
  | 'invalid_event'
  | 'closed'
  | 'reauthorization_required'
  | 'oauth'
  | 'token_store'
  | 'not_cached'

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
  applied?: Applied | undefined
  attempts?: readonly Attempt[] | undefined
  /** Params of the page that failed. */
  next?: object | null | undefined
  /** The body of a success that the call failed after. */
  body?: unknown
  /** Whether the option `ceiling` lowers what the call reserves. */
  hasCeiling?: boolean
}

/**
 * Base of every error of this package. An aborted call rejects with the signal's own reason instead, and an error of your
 * own functions reaches you unchanged.
 *
 * @example
 * if (error instanceof SocialSearchError && error.charged === 'unknown') review(error.operation, error.attempts)
 */
export class SocialSearchError extends Error {
  static override readonly name: string = 'SocialSearchError'
  /** The kind of error, for a `switch`. */
  readonly code: ClientErrorCode | ApiErrorCode
  /** The service's id of the request, for its support. */
  declare readonly requestId?: string
  /** The operation that failed, such as `microblog.search`; absent for errors of a constructor. */
  declare readonly operation?: string
  /** Whether the call cost credits, for all attempts together. It says nothing about the effect of a write. */
  readonly charged: Charged
  /** For a write, such as `mentions.setState`: whether it changed data, for all attempts together. Absent from reads. */
  declare readonly applied?: Applied
  /** The attempts, in order; empty if nothing was sent. */
  readonly attempts: readonly Attempt[]
  /**
   * For a call with pages: the params of the page that failed, as plain JSON. Pass them to the same call to continue.
   */
  declare readonly next?: object | null
  /**
   * The body of a success, if the call failed after it had been read: parsed if it is JSON, otherwise its text. An error with
   * `charged: 'yes'` has it. Not enumerable, so that logs of the error stay short.
   */
  declare readonly body?: unknown
  /** Of `toArray()`: the paid items of the pages before. Not enumerable, so that logs of the error stay short. */
  declare readonly items?: readonly unknown[]

  constructor(code: ClientErrorCode | ApiErrorCode, message: string, context: ErrorContext = {}) {
    const { operation, charged = 'no', applied } = context
    const prefix = operation === undefined ? '' : `${operation}: `
    const isOpen = charged === 'unknown' || applied === 'unknown'
    const doubt = isOpen ? `; it may have been ${applied ? 'applied' : 'charged'}` : ''
    // The message of an error from your own proxy already ends with it.
    super(prefix + message + (message.endsWith(doubt) ? '' : doubt))
    this.code = code
    this.charged = charged
    this.attempts = context.attempts ?? []
    if (context.requestId !== undefined) this.requestId = context.requestId
    if (operation !== undefined) this.operation = operation
    if (applied !== undefined) this.applied = applied
    if (context.next !== undefined) this.next = context.next
    if (context.body !== undefined) hide(this, 'body', context.body)
  }

  /** The name of its class, which no bundler shortens. */
  override get name(): string {
    return this.constructor.name
  }

  /** The fields for a JSON log. */
  toJSON(): object {
    return Object.assign({ name: this.name, message: this.message }, this)
  }
}

/** Sets a field that logs and JSON of an error leave out. */
export function hide(error: SocialSearchError, name: string, value: unknown): void {
  Object.defineProperty(error, name, { value, configurable: true })
}

/** A failure that several calls may share, such as a refused token. */
export abstract class SharedError extends SocialSearchError {
  readonly #args: readonly unknown[]

  /** @param args Arguments of the subclass, up to the context. */
  constructor(code: ClientErrorCode, message: string, args: readonly unknown[], context?: ErrorContext) {
    super(code, message, context)
    this.#args = args
  }

  /** The same failure, for one of the calls. */
  of(context: ErrorContext): this {
    const Class = this.constructor as new (...args: unknown[]) => this
    return new Class(...this.#args, context)
  }
}
