import type { Operation } from '../../api/operation.ts'
import type { Attempt, Charged, ErrorContext } from '../../errors/index.ts'
import type { Redactor } from '../../lib/redactor.ts'
import type { CallCredits } from '../credits/price.ts'
import { effectOf } from '../../api/operation-effect.ts'
import { type Composed, type Given, paramsOf } from './compose-request.ts'
import type { Failed } from './verdict.ts'

/** What has happened to a call. `settle.ts` writes it; errors, observers and the answer read it. */
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
