import type { Operation } from '../../api/operation.ts'
import type { Attempt } from '../../errors/index.ts'
import type { LogFields, LogLevel } from '../../lib/logger.ts'
import type { Redactor } from '../../lib/redactor.ts'
import type { CallCredits } from '../credits/price.ts'
import type { CallSettings, ClientSettings } from '../options/settings.ts'
import type { Cached } from '../options/observer.ts'
import type { CallObserver } from './call-observer.ts'
import type { Cancellation } from './cancellation.ts'
import type { Composed } from './compose-request.ts'
import type { CallRecord } from './record.ts'
import type { InvalidItem } from './validate-body.ts'

/** Answers a call. `sendCalls()` does it with requests; a cache or a tracer wraps that. */
export type Send = (call: Call) => Promise<CallResult>

/** Adds something to each call. It may answer itself, or send another call in its place. */
export interface Wrap {
  (send: Send): Send
  /** Credits that its own answers have saved. */
  readonly saved?: () => number
}

/** One call: what was asked, and what may end it early. It does not change, except for its record. */
export interface Call {
  readonly client: ClientSettings
  readonly settings: CallSettings
  /** With the user's price and surface, if there are any. */
  readonly operation: Operation
  readonly request: Composed
  /** Of one attempt. */
  readonly timeoutMs: number
  readonly cancellation: Cancellation
  readonly record: CallRecord
  readonly observer: CallObserver | undefined
  /** The answer with the page before this one, in a walk. */
  readonly previousPage: CallResult | undefined
}

/** The result of a call: the response, parsed and validated, with its attempts and its cost. */
export interface CallResult {
  /** Not redacted: apply `redactor` to what you show of its headers. */
  readonly response: Response
  readonly redactor: Redactor
  /** Redacted, like everything below. */
  readonly text: string
  /** The parsed body, before a schema transforms it. */
  readonly parsed: unknown
  readonly requestId: string | undefined
  readonly body: unknown
  /** Items that failed validation; null unless a list is validated as `lenient`. */
  readonly invalid: readonly InvalidItem[] | null
  readonly attempts: readonly Attempt[]
  readonly credits: CallCredits
  /** Undefined if the answer was fetched for this call. */
  readonly cached?: Cached
}

/** @param attempt Its number, from 1. */
export function logAt(
  { operation, settings }: Call,
  attempt: number,
  level: LogLevel,
  message: string,
  fields?: LogFields,
): void {
  settings.log?.(level, message, { operation: operation.id, attempt, ...fields })
}
