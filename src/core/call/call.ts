import { type Operation, effectOf } from '../../api/operation.ts'
import type { Attempt, Charged, ErrorContext, InvalidRequestError, TimeoutPhase } from '../../errors/index.ts'
import type { LogFields, LogLevel } from '../../lib/logger.ts'
import type { Redactor } from '../../lib/redactor.ts'
import type { RequestOutcome } from '../../limits/interface.ts'
import type { CallCredits } from '../../errors/facts.ts'
import type { ClientSettings } from '../options/client-settings.ts'
import type { CallSettings } from '../options/options.ts'
import type { Cached, CallObserver } from '../options/observer.ts'
import type { Cancellation } from './cancellation.ts'
import { type Composed, paramsOf } from './compose-request.ts'
import type { Issue } from '../../api/issues.ts'
import type { RawResponse } from '../http/fetch.ts'
import type { Failing } from '../http/retry-wait.ts'

/** Answers a call. `sendCalls()` does it with requests; a cache or a tracer wraps that. */
export type Send = (call: Call) => Promise<Answer>

/** Adds something to each call. It may answer itself, or send another call in its place. */
export interface Wrap {
  (send: Send): Send
  /** Credits that its own answers have saved. */
  readonly saved?: () => number
}

/** One call: what was asked, and what may end it early. It does not change, except for its record. */
export interface Call {
  /** The same in its lines of the log, its events, its span and its error. */
  readonly id: number
  readonly client: ClientSettings
  readonly settings: CallSettings
  /** With the user's price and surface, if there are any. */
  readonly operation: Operation
  readonly request: Composed
  /** Of one attempt. */
  readonly timeoutMs: number
  readonly cancellation: Cancellation
  /** A call that shares a request, and pays for it, gets the record of the request. */
  record: CallRecord
  readonly observer: CallObserver | undefined
  /** The answer with the page before this one, in a walk. */
  readonly previousPage: Answer | undefined
}

/** The answer to a call, which is paid for, checked and transformed as the caller asks. */
export interface Answer {
  /** Not redacted: apply the redactor of `record` to what you show of its headers. */
  readonly response: Response
  /** Redacted, like everything below. */
  readonly text: string
  /** The parsed body, before a schema transforms it. */
  readonly parsed: unknown
  readonly requestId: string | undefined
  readonly body: unknown
  /** Items that failed validation; null unless a list is validated as `lenient`. */
  readonly invalid: readonly InvalidItem[] | null
  /** What the call has cost, and how. */
  readonly record: CallRecord
  /** Undefined if the answer was fetched for this call. */
  readonly cached?: Cached
}

/** An item that failed validation. */
export interface InvalidItem {
  /** Index in the list that the service sent. */
  index: number
  item: unknown
  issues: Issue[]
}

let calls = 0

/** The id of the next call of this process. */
export function nextCallId(): number {
  return ++calls
}

/** @param attempt Its number, from 1. */
export function logAt(
  { id: callId, operation, settings }: Call,
  attempt: number,
  level: LogLevel,
  message: string,
  fields?: LogFields,
): void {
  settings.logger?.(level, message, { operation: operation.id, callId, attempt, ...fields })
}

export const noCredits: CallCredits = { spent: 0, uncertain: 0 }

/** What has happened to a call. `bill.ts` writes it; errors, observers and the answer read it. */
export interface CallRecord {
  /** Knows the secrets of the client, and every token that the call has sent. */
  readonly redactor: Redactor
  readonly attempts: readonly Attempt[]
  readonly failures: readonly Failed[]
  readonly credits: CallCredits
  /** Whether an attempt was charged or applied. */
  readonly tookEffect: Charged
}

// One for all: thousands of calls may wait.
const none: readonly never[] = []

export function newRecord(redactor: Redactor): CallRecord {
  return { redactor, attempts: none, failures: none, credits: noCredits, tookEffect: 'no' }
}

/** The fields that every error of a call has. */
export function errorContext({
  id: callId,
  operation,
  request,
  record,
}: Pick<Call, 'id' | 'operation' | 'request' | 'record'>): ErrorContext {
  const { attempts, credits, tookEffect } = record
  return { ...contextOf(operation, request, tookEffect), callId, attempts, credits }
}

/** What a call waits for before its next attempt. */
export function phaseBefore({ record }: Pick<Call, 'record'>): TimeoutPhase {
  return record.attempts.length === 0 ? 'queue' : 'wait'
}

/** What every error of a request has: `next` holds the params of the failed page, if the operation has pages. */
export function contextOf(
  operation: Operation,
  request: Composed | InvalidRequestError,
  tookEffect: Charged = 'no',
): ErrorContext {
  const { id, paging } = operation
  const context = { operation: id, next: paging && paramsOf(request), attempts: [] }
  const isWrite = effectOf(operation) === 'write'
  return {
    ...context,
    ...((!isWrite || operation.price.kind !== 'free') && { charged: tookEffect }),
    ...(isWrite && { applied: tookEffect === 'no' ? tookEffect : 'unknown' }),
  }
}

/** What an attempt came to, unless it {@link Failed}: a success, parsed, whether it is usable or not; its texts and data are redacted. */
export interface Success extends RawResponse {
  readonly ok: true
  /** Undefined if the text is not JSON, or not the whole body. */
  readonly value: unknown
  readonly requestId: string | undefined
  readonly tookEffect: Charged
  /** What it cost; undefined if that is unknown. */
  readonly credits: CallCredits | undefined
}

/** A failure, and what follows, also for limits. */
export interface Failed extends Failing, RequestOutcome {
  readonly ok: false
  /** The `outcome` of the attempt: the code of its error, or `aborted`. */
  readonly code: string
  readonly requestId?: string | undefined
  /** Makes the error, once the facts of the call are known. */
  readonly toError: (context: ErrorContext) => unknown
  /** Whether it was charged; for a write, whether it was applied. */
  readonly tookEffect: Charged
  /** What it cost, if the response says so. */
  readonly credits?: CallCredits | undefined
  /** The body of a success that is not usable. */
  readonly body?: unknown
  /** Milliseconds to wait before the next attempt; null if the call does not retry. */
  readonly wait: number | null
  /** False for a connection that could not be opened. */
  readonly hasLeft?: boolean
  /** Whether a fresh token may help. */
  readonly refreshes: boolean
}
