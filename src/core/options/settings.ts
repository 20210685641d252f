import type { Validation } from './types.ts'
import type { PagingOverride } from '../lib/items.ts'
import type { Limiter, Share } from '../limits/limiter.ts'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Operation } from '../../contract/operation.ts'
import type { Credential } from '../http/credential.ts'
import type { Budget } from '../credits/budget.ts'
import type { Dialect } from '../http/dialect.ts'
import type { Fetch } from '../http/send.ts'
import type { Log } from '../lib/logger.ts'
import type { Middleware } from '../http/middleware.ts'
import type { Redactor } from '../lib/redact.ts'
import type { RetryPolicy } from '../retry/policy.ts'

/** Everything about a client that its calls depend on, checked and complete. */
export interface Settings {
  /** Absolute, without a trailing slash. */
  readonly baseUrl: string
  readonly dialect: Dialect
  readonly credential: Credential
  readonly redactor: Redactor
  readonly limiter: Limiter
  readonly share: Share
  /** Calls that wait for their turn, how many may, and those that have a slot. */
  readonly queue: { length: number; open: number; readonly max: number }
  /** Credits that operations cost, by id, where they differ from the documented ones. */
  readonly prices: Readonly<Record<string, number>>
  readonly surfaceOf: (operation: Operation) => string | null
  readonly fetch: Fetch
  /** Undefined for what the operation asks for. */
  readonly timeoutMs: number | undefined
  readonly deadlineMs: number | undefined
  readonly retry: RetryPolicy
  readonly validation: Validation
  readonly budgets: readonly Budget[]
  readonly headers: Headers
  readonly middleware: readonly Middleware[]
  readonly log: Log
}

/** The settings of one call. */
export interface CallSettings extends Settings {
  readonly signal: AbortSignal | undefined
  readonly abandon: AbortSignal | undefined
  readonly sendWithinMs: number | undefined
  readonly priority: number
  readonly schema: StandardSchemaV1 | undefined
  readonly paging: PagingOverride | undefined
  /** The caller's own bound on the items of a price per item that has no documented one. */
  readonly ceiling: number | undefined
}

/** Most a walk may yield and buy. */
export interface WalkLimits {
  readonly items: number
  readonly pages: number
}
