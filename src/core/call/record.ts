import type { Attempt, Charged, ErrorContext, TimeoutPhase } from '../../errors/index.ts'
import type { Redactor } from '../../lib/redact.ts'
import type { CallCredits } from '../credits/ledger.ts'
import type { Operation } from '../../api/operation.ts'
import { type Composed, type Given, paramsOf } from './compose-request.ts'
import { effectOf } from '../retry/policy.ts'
import type { Failed } from './verdict.ts'

const noAttempts: readonly Attempt[] = []
const noFailures: readonly Failed[] = []
const noCredits: CallCredits = { spent: 0, uncertain: 0 }

/** What has happened to a call. Its run alone writes it; errors, observers and the answer read it. */
export class CallRecord {
  /** Knows the secrets of the client, and every token that the call has sent. */
  redactor: Redactor
  /** Between attempts. */
  phase: TimeoutPhase = 'queue'
  attempts = noAttempts
  failures = noFailures
  credits = noCredits
  /** Whether an attempt was charged or applied. */
  effect: Charged = 'no'

  constructor(redactor: Redactor) {
    this.redactor = redactor
  }
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
  const { id, paging, price } = operation
  const context = {
    operation: id,
    next: paging && paramsOf(request),
    hasCeiling: price.kind === 'perItem',
  }
  if (effectOf(operation) !== 'write') return { ...context, charged: effect }
  return { ...context, applied: effect === 'no' ? effect : 'unknown' }
}

export function worstOf(all: readonly Charged[]): Charged {
  return all.includes('yes') ? 'yes' : all.includes('unknown') ? 'unknown' : 'no'
}
