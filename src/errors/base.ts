import { printed } from '../lib/print.ts'
import type { ServiceErrorCode } from '../api/error-envelope.ts'
import type { Applied, Charged, ConnectionPhase, CallCredits, RefusedBudget, TimeoutPhase } from './facts.ts'
import { type CallFacts, fullMessage, notSent } from './words.ts'

/** One attempt of a call. */
export interface Attempt {
  /** Milliseconds spent waiting for one of the two requests in flight. */
  queued: number
  /** Milliseconds spent waiting for the rate limit, or for the end of a 429. */
  paced: number
  /** When the request was sent, ISO 8601; null if it was not. */
  sent: string | null
  /** Milliseconds from sending to the last byte, or to the failure. */
  duration: number
  /** HTTP status of the service, if its headers arrived. */
  status?: number
  /** The service's id of this attempt. */
  requestId?: string
  /** `ok`, or the code of the error that ended this attempt. */
  outcome: string
  charged: Charged
  /** Milliseconds to wait after this attempt. Waits for the end of a 429 are in `paced` of the next one. */
  waited: number
}

/** Codes of this package's own errors, also of those that its proxy passes on; {@link ApiError} has the service's. */
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
 * A code that the service does not document, a string at run time: compare it as `String(error.code)`. The type is an
 * enum, so that a `switch` over the documented codes narrows.
 */
export declare enum UndocumentedCode {
  any = '',
}

/** A code that the service sent. Those of a proxy are undocumented for it: `ProxyErrorCode` of `social-search-sdk/proxy` lists them. */
export type ApiErrorCode = ServiceErrorCode | UndocumentedCode

/** The facts of a failed call that its error contains. */
export interface ErrorContext {
  operation?: string | undefined
  requestId?: string | undefined
  /** For all attempts together. */
  charged?: Charged
  applied?: Applied | undefined
  callId?: number | undefined
  /** Undefined if there was no call. */
  attempts?: readonly Attempt[] | undefined
  credits?: CallCredits | undefined
  /** Params of the page that failed. */
  next?: object | null | undefined
  /** The body of a success that the call failed after. */
  body?: unknown
}

/** What every error of this package has, whichever copy of it made the error: bundlers may put several in a process. */
const brand: unique symbol = Symbol.for('social-search-sdk error 1')

/**
 * Base of every error of this package. If you abort a call, it rejects with your abort reason instead. Errors of your own
 * functions reach you unchanged.
 *
 * @example
 * if (error instanceof SocialSearchError && error.charged === 'unknown') review(error.operation, error.attempts)
 */
export class SocialSearchError extends Error {
  /** What happened; stable: `switch` on it. */
  declare readonly code: ClientErrorCode | ApiErrorCode
  /** The service's id of the request, for support. */
  declare readonly requestId?: string
  /** The call that failed, such as `microblog.search`; absent for errors of a constructor. */
  declare readonly operation?: string
  /** Its number, as in its log lines and events. */
  declare readonly callId?: number
  /** Whether the call cost credits, in all attempts together. */
  declare readonly charged: Charged
  /** What it cost, in credits: `spent`, and what it may have cost besides, `uncertain`. */
  declare readonly credits: CallCredits
  /** For a write, such as `mentions.setState`: whether it changed data. Absent for reads. */
  declare readonly applied?: Applied
  /** The attempts, in order; empty if nothing was sent. Not enumerable, but in the JSON of the error, and a line each in its print. */
  declare readonly attempts: readonly Attempt[]
  /**
   * The params of the page that failed, as plain JSON. To continue, pass the error to `resume()`.
   */
  declare readonly next?: object | null
  /**
   * The response, if it was a success that cannot be used: parsed if it is JSON, otherwise its text. You paid for it, unless the call
   * is free. Not enumerable, so that logs stay short.
   */
  declare readonly body?: unknown
  /** After `toArray()`: the items of the pages that you paid for. Not enumerable, so that logs stay short. */
  declare readonly items?: readonly unknown[]
  /** HTTP status, if there was an answer. */
  declare readonly status?: number
  /** Seconds to wait before you try again, if they are known. */
  declare readonly retryAfter?: number
  /** The option or param to change. */
  declare readonly option?: string
  /** Where a connection failed, or the time ran out. */
  declare readonly phase?: ConnectionPhase | TimeoutPhase
  /** Milliseconds after which the time ran out. */
  declare readonly waited?: number
  /** The budget that refused the call. */
  declare readonly budget?: RefusedBudget
  /** What happened, for people: the message without the call and the cost. Not enumerable. */
  declare readonly what: string
  /** @internal What it was made of, besides the facts of its call. */
  declare readonly made: readonly [text: string, own: Readonly<Record<string, unknown>> | undefined]

  /**
   * @param text What happened; the message also says which call it was, what it cost and when to try again.
   * @param own The fields of its class. Like the common ones, it has only those that are defined.
   */
  constructor(
    code: ClientErrorCode | ApiErrorCode,
    text: string,
    context: ErrorContext = {},
    own?: Readonly<Record<string, unknown>>,
  ) {
    const { operation, callId, charged = 'no', applied, requestId, next, body } = context
    const { attempts, credits = { spent: 0, uncertain: 0 } } = context
    const isUnsent = charged === 'no' && body === undefined && attempts?.every(({ sent }) => sent === null)
    const what = isUnsent ? notSent(text) : text
    const fields = { code, charged, credits, requestId, operation, callId, applied, next, ...own }
    super(fullMessage(what, { ...(fields as CallFacts), body }))
    Object.assign(this, withoutUndefined(fields))
    setNonEnumerable(this, 'what', what)
    setNonEnumerable(this, 'made', [text, own])
    setNonEnumerable(this, 'attempts', attempts ?? [])
    if (body !== undefined) setNonEnumerable(this, 'body', body)
  }

  /**
   * Knows an error of another copy of this package by the names of its classes. Unlike an ordinary `instanceof`, it never throws:
   * user code may have thrown a revoked proxy.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    try {
      if (typeof value !== 'object' || value === null || !(brand in value)) return false
      let Class: unknown = value.constructor
      while (typeof Class === 'function' && Class !== this && Class.name !== this.name)
        Class = Object.getPrototypeOf(Class)
      return typeof Class === 'function'
    } catch {
      return false
    }
  }

  /** @internal */
  get [brand](): true {
    return true
  }

  /** The name of its class, which no bundler shortens. */
  override get name(): string {
    return this.constructor.name
  }

  /** @internal */
  [printed](_depth: number, options: object, inspect: (value: unknown, options: object) => string): string {
    // The message tells the issues, and JSON has all.
    const shown = Object.entries(this).filter(([name]) => name !== 'issues' && name !== 'next')
    const attempts = this.attempts.map(attemptText)
    const earlier = attempts.splice(0, Math.max(0, attempts.length - 5)).length
    if (earlier > 0) attempts[0] = `${earlier + 1} earlier attempts`
    if (attempts.length > 0) shown.push(['attempts', attempts])
    return `${this.name}: ${this.message}${framesOf(this.stack)} ${inspect(Object.fromEntries(shown), options)}`
  }

  /** The error's fields, for a JSON log. */
  toJSON(): object {
    const { name, message, attempts } = this
    return Object.assign({ name, message, attempts }, this)
  }
}

function attemptText({ queued, paced, duration, status, outcome, waited, requestId = '' }: Attempt): string {
  const wait = Math.round(queued + paced)
  const later = Math.round(waited)
  return [
    wait > 0 && `queued ${wait} ms`,
    `${status ?? outcome} after ${Math.round(duration)} ms`,
    later > 0 && `waited ${later} ms`,
    requestId,
  ]
    .filter(Boolean)
    .join(', ')
}

/** Three frames of the stack: of the program, if it has any. */
function framesOf(stack = ''): string {
  const frames = stack.match(/\n +at .+/g) ?? []
  const [own = ''] = /[^\s(]+\//.exec(frames[0] ?? '') ?? []
  const others = frames.filter((frame) => !frame.includes(own) && !frame.includes('/social-search-sdk/'))
  return (others.length > 0 ? others : frames).slice(0, 3).join('')
}

/**
 * Names classes as users know them: minifiers shorten the names in a program, but not those of properties. A static field `name`
 * would not do, since some make an assignment of it, which throws.
 */
export function nameClasses(classes: Readonly<Record<string, object>>): void {
  for (const [value, Class] of Object.entries(classes))
    Object.defineProperty(Class, 'name', { value, configurable: true })
}

/** The same failure, with the facts of another call: calls may share a login, a budget, a request. */
export function failureFor(
  { code, made, constructor }: SocialSearchError,
  context: ErrorContext,
): SocialSearchError {
  const args: ConstructorParameters<typeof SocialSearchError> = [code, made[0], context, made[1]]
  return Reflect.construct(SocialSearchError, args, constructor) as SocialSearchError
}

export function withoutUndefined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
}

/** Sets a field that logs and JSON of an error leave out. */
export function setNonEnumerable(error: SocialSearchError, name: string, value: unknown): void {
  Object.defineProperty(error, name, { value, configurable: true })
}

nameClasses({ SocialSearchError })
