import { type Operation, effectOf } from '../../api/operation.ts'
import type { Attempt, Charged, ErrorContext } from '../../errors/index.ts'
import type { LogFields, LogLevel } from '../../lib/logger.ts'
import type { Redactor } from '../../lib/redactor.ts'
import type { CallCredits } from '../credits/price.ts'
import type { CallSettings, ClientSettings } from '../options/table.ts'
import type { Cached, ObservedCall, ObservedStart, Observer, Wait } from '../options/types.ts'
import type { Cancellation } from './cancellation.ts'
import { type Composed, type Given, paramsOf } from './compose-request.ts'
import type { Issue } from '../../api/issues.ts'
import type { RawResponse } from '../http/fetch.ts'
import type { FailureKind } from './failure-table.ts'
import { messageOf, runUserCallback } from '../../lib/thrown.ts'
import { dateIn } from '../../lib/time.ts'
import type { QueueWait } from '../../limits/interface.ts'

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

/** An answer that is paid for, checked and transformed as the caller asks. */
export interface Answer {
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
}

/** The result of a call: its answer, with its attempts and its cost. */
export interface CallResult extends Answer {
  readonly attempts: readonly Attempt[]
  readonly credits: CallCredits
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

/** What has happened to a call. `account.ts` writes it; errors, observers and the answer read it. */
export interface CallRecord {
  /** Knows the secrets of the client, and every token that the call has sent. */
  readonly redactor: Redactor
  readonly attempts: readonly Attempt[]
  readonly failures: readonly Failed[]
  readonly credits: CallCredits
  /** Whether an attempt was charged or applied. */
  readonly effect: Charged
}

/** A record for the one file that writes it; the linter keeps it from others. */
export type WritableRecord = { -readonly [Name in keyof CallRecord]: CallRecord[Name] }

const noAttempts: readonly Attempt[] = []
const noFailures: readonly Failed[] = []
const noCredits: CallCredits = { spent: 0, uncertain: 0 }

export function newRecord(redactor: Redactor): CallRecord {
  return { redactor, attempts: noAttempts, failures: noFailures, credits: noCredits, effect: 'no' }
}

/** The fields that every error of a call has. */
export function errorContext({
  operation,
  request,
  record,
}: {
  readonly operation: Operation
  readonly request: Composed
  readonly record: CallRecord
}): ErrorContext {
  return { ...contextOf(operation, request, record.effect), attempts: record.attempts }
}

/** What every error of a request has: `next` holds the params of the failed page, if the operation has pages. */
export function contextOf(operation: Operation, request: Given, effect: Charged = 'no'): ErrorContext {
  const { id, paging } = operation
  const context = { operation: id, next: paging && paramsOf(request) }
  if (effectOf(operation) !== 'write') return { ...context, charged: effect }
  return { ...context, applied: effect === 'no' ? effect : 'unknown' }
}

/** What an attempt came to. */
export type Outcome = Success | Failed

/** A success, parsed, whether it is usable or not; its texts and data are redacted. */
export interface Success extends RawResponse {
  readonly ok: true
  /** Undefined if the text is not JSON, or not the whole body. */
  readonly value: unknown
  readonly requestId: string | undefined
  readonly effect: Charged
  /** What it cost; undefined if that is unknown. */
  readonly credits: CallCredits | undefined
}

/** A failure, and what follows. */
export interface Failed {
  readonly ok: false
  readonly kind: FailureKind
  /** The `outcome` of the attempt: the code of its error, or `aborted`. */
  readonly code: string
  readonly requestId?: string | undefined
  /** Makes the error, once the facts of the call are known. */
  readonly toError: (context: ErrorContext) => unknown
  /** Whether it was charged; for a write, whether it was applied. */
  readonly effect: Charged
  /** What it cost, if the response says so. */
  readonly credits?: CallCredits | undefined
  /** The wait that the response announces, in milliseconds. */
  readonly announced: number | null
  /** The body of a success that is not usable. */
  readonly body?: unknown
  /** Milliseconds to wait before the next attempt; null if the call does not retry. */
  readonly wait: number | null
  /** Whether nothing has left. */
  readonly isUnsent: boolean
  /** Milliseconds for which it closes its surface; null unless it is a 429. */
  readonly closedMs: number | null
  /** Whether a fresh token may help. */
  readonly refreshes: boolean
}

/** What is known of a failure before it is decided what follows. Without an `effect`, the table says it. */
export type Found = Pick<Failed, 'kind' | 'code' | 'toError'> & Partial<Failed>

let calls = 0

/** Tells the observers of one call what it does. */
export class CallObserver {
  /** What all events have. */
  readonly call: ObservedStart
  readonly #settings: CallSettings
  /** Reported waits: their ends by reason. */
  readonly #reported = new Map<Wait['reason'], number>()

  constructor(settings: CallSettings, { id, surface }: { id: string; surface: string | null }) {
    this.#settings = settings
    this.call = { id: ++calls, operation: id, surface }
  }

  /** Reports why the call is queued if the reason is new, or if a 429 closes the surface for longer. */
  check(wait: QueueWait | null): void {
    if (wait === null) return
    const { reason, ms } = wait
    const reportedEnd = this.#reported.get(reason)
    const end = Date.now() + ms
    if (reportedEnd !== undefined && !(reason === 'rate_limited' && end > reportedEnd + 1000)) return
    this.#reported.set(reason, end)
    this.report(reason, ms)
  }

  report(reason: Wait['reason'], ms: number): void {
    const until = dateIn(ms)
    this.#tell('onWait', (observer) => observer.onWait?.({ ...this.call, reason, until }))
  }

  /** Reports that an attempt has ended, and what it cost. */
  attempt(attempt: Attempt, credits: CallCredits): void {
    this.#tell('onAttempt', (observer) => observer.onAttempt?.({ ...this.call, ...attempt, credits }))
  }

  end(known: Omit<ObservedCall, keyof ObservedStart>): void {
    this.#tell('onCall', (observer) => observer.onCall?.({ ...this.call, ...known }))
  }

  /** Each observer gets an event of its own. One that fails must not fail the call. */
  #tell(name: string, tell: (observer: Observer) => unknown): void {
    const { observers, log } = this.#settings
    const { operation } = this.call
    for (const observer of observers)
      runUserCallback(
        () => tell(observer),
        (error) => log?.('error', `${name} failed`, { operation, reason: messageOf(error) }),
      )
  }
}
