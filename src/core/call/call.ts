import type { Operation } from '../../api/operation.ts'
import type { Attempt, Charged, ErrorContext, TimeoutPhase } from '../../errors/index.ts'
import type { Redactor } from '../../lib/redact.ts'
import type { CallCredits } from '../credits/ledger.ts'
import type { CallSettings, ClientSettings } from '../options/settings.ts'
import type { Cached } from '../options/types.ts'
import type { Failure } from '../retry/failure.ts'
import { type ComposedRequest, contextOf } from './compose-request.ts'
import type { InvalidItem } from './validate-body.ts'

/** One call: what was asked. It does not change; what happens to it is a {@link Progress}. */
export interface Call {
  readonly client: ClientSettings
  readonly settings: CallSettings
  /** With the user's price and surface, if there are any. */
  readonly operation: Operation
  readonly request: ComposedRequest
}

/** How far a call is. Each step makes a new one. */
export interface Progress {
  readonly phase: TimeoutPhase
  readonly attempts: readonly Attempt[]
  /** Of the attempts that have failed. */
  readonly failures: readonly Failure[]
  /** Whether the attempt in flight was charged or applied, as far as it is known. */
  readonly tookEffect: Charged
  /** The outcome of the latest attempt, once it is accounted for. Hooks and checks may still run. */
  readonly settled?: { readonly body?: unknown } | undefined
}

/** The progress of a call without an attempt; all queued calls share it. */
export const noProgress: Progress = { phase: 'queue', attempts: [], failures: [], tookEffect: 'no' }

/** The result of a call: the response, parsed and validated, with its attempts and its cost. */
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
  readonly attempts: readonly Attempt[]
  readonly credits: CallCredits
  /** Undefined if the answer was fetched for this call. */
  readonly cached?: Cached
}

/** A call, and how far it is. */
export interface Situation {
  readonly call: Call
  readonly progress: Progress
}

/**
 * The fields that every error of a call has.
 *
 * @param tookEffect Whether the current attempt was charged or applied.
 */
export function errorContext(
  { call, progress }: Situation,
  tookEffect: Charged = progress.tookEffect,
): ErrorContext {
  const { attempts, failures, settled } = progress
  const all = [
    tookEffect,
    ...attempts.map(({ charged }) => charged),
    ...failures.map((each) => each.tookEffect),
  ]
  const worst = all.includes('yes') ? 'yes' : all.includes('unknown') ? 'unknown' : 'no'
  return { ...contextOf(call.operation, call.request, worst), attempts, body: settled?.body }
}

/** Timeout of one attempt in milliseconds, unless the operation has its own. */
export const defaultTimeoutMs = 30_000
