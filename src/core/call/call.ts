import type { Operation } from '../../api/operation.ts'
import type { Attempt, Charged, ErrorContext, TimeoutPhase } from '../../errors/index.ts'
import type { LogFields, LogLevel } from '../../lib/logger.ts'
import type { Redactor } from '../../lib/redact.ts'
import type { CallCredits } from '../credits/ledger.ts'
import type { CallSettings, ClientSettings } from '../options/settings.ts'
import type { Cached } from '../options/types.ts'
import type { Failure } from '../retry/failure.ts'
import type { CallObserver } from './call-observer.ts'
import type { Cancellation } from './cancellation.ts'
import type { ComposedRequest } from './compose-request.ts'
import { contextOf, worstOf } from './error-context.ts'
import type { InvalidItem } from './validate-body.ts'

/** Answers a call. `sendCalls()` does it with requests; a cache or a tracer wraps that. */
export type Send = (call: Call) => Promise<CallResult>

/** Adds something to each call. It may answer itself, or send another call in its place. */
export type Wrap = (send: Send) => Send

/** One call: what was asked, and what may end it early. It does not change; what happens to it is a {@link Situation}. */
export interface Call {
  readonly client: ClientSettings
  readonly settings: CallSettings
  /** With the user's price and surface, if there are any. */
  readonly operation: Operation
  readonly request: ComposedRequest
  /** Of one attempt. */
  readonly timeoutMs: number
  readonly cancellation: Cancellation
  readonly observer: CallObserver | undefined
  /** The answer with the page before this one, in a walk. */
  readonly previousPage: CallResult | undefined
}

/** A call, and how far it is. Each step makes a new one. */
export interface Situation {
  readonly call: Call
  /** Knows the secrets of the client, and every token that the call has sent. */
  readonly redactor: Redactor
  readonly phase: TimeoutPhase
  readonly attempts: readonly Attempt[]
  readonly failures: readonly Failure[]
  /** Whether the attempt in flight was charged or applied, as far as it is known. */
  readonly tookEffect: Charged
  /** The success of the latest attempt, once it is accounted for. Checks may still run. */
  readonly success?: { readonly body: unknown }
}

export function unsent(call: Call): Situation {
  const { redactor } = call.client
  return { call, redactor, phase: 'queue', attempts: [], failures: [], tookEffect: 'no' }
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

/**
 * The fields that every error of a call has.
 *
 * @param tookEffect Whether the current attempt was charged or applied.
 */
export function errorContext(
  { call, attempts, failures, success, tookEffect: current }: Situation,
  tookEffect: Charged = current,
): ErrorContext {
  const worst = worstOf([tookEffect, ...failures.map((each) => each.tookEffect)])
  return { ...contextOf(call.operation, call.request, worst), attempts, body: success?.body }
}

export function logAt(
  { call: { operation, settings }, attempts }: Situation,
  level: LogLevel,
  message: string,
  fields?: LogFields,
): void {
  settings.log?.(level, message, { operation: operation.id, attempt: attempts.length, ...fields })
}
