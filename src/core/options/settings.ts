import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Budget } from '../credits/budget.ts'
import type { Credential } from '../http/credential.ts'
import type { Dialect } from '../http/dialect.ts'
import type { Middleware } from '../http/middleware.ts'
import type { Fetch } from '../http/send.ts'
import type { PagingOverride } from '../lib/list-items.ts'
import type { Log } from '../lib/logger.ts'
import type { Redactor } from '../lib/redact.ts'
import type { CallQueue, Share } from '../limits/limiter.ts'
import type { RetryPolicy } from '../retry/policy.ts'
import type { Validation, Wait } from './types.ts'

/** Everything that a call depends on, checked and complete: a client's, or a call's where it sets options of its own. */
export interface Settings {
  /** Absolute, without a trailing slash. */
  readonly baseUrl: string
  readonly dialect: Dialect
  readonly credential: Credential
  readonly redactor: Redactor
  readonly limiter: CallQueue
  readonly share: Share
  /** Calls that may wait for their turn. */
  readonly maxQueued: number
  /** Credits that operations cost, by id, where they differ from the documented ones. */
  readonly prices: Readonly<Record<string, number>>
  /** Surfaces of operations, by id, where they differ from the assumed ones. */
  readonly surfaces: Readonly<Record<string, string | null>>
  readonly fetch: Fetch
  /** Undefined for what the operation asks for. */
  readonly timeoutMs: number | undefined
  readonly deadlineMs: number
  readonly retry: RetryPolicy
  readonly validation: Validation
  readonly budgets: readonly Budget[]
  readonly headers: Headers
  readonly middleware: readonly Middleware[]
  readonly log: Log | undefined
  readonly onWait: ((wait: Wait) => void) | undefined
  readonly signal: AbortSignal | undefined
  readonly priority: number
  readonly schema: StandardSchemaV1 | undefined
  readonly paging: PagingOverride | undefined
  /** The user's own bound on the items of a price per item that has no documented one. */
  readonly ceiling: number | undefined
}
