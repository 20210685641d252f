import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Budget } from '../credits/budget.ts'
import type { Ledger } from '../credits/ledger.ts'
import type { Credential } from '../http/credential.ts'
import type { BodyFormat } from '../http/body-format.ts'
import type { EndOfLife } from '../http/end-of-life.ts'
import type { UserHeaders } from '../http/request-headers.ts'
import type { Fetch } from '../http/send.ts'
import type { PagingOverride } from '../../api/list-items.ts'
import type { Log } from '../../lib/logger.ts'
import type { Redactor } from '../../lib/redactor.ts'
import type { CallLimiter } from '../../limits/interface.ts'
import type { RetryPolicy } from '../failures/retry-limits.ts'
import type { Observer } from './observer.ts'
import type { CacheUse, Validation } from './types.ts'

/** What all calls of a client have in common, also of clients made from it with `withOptions`. */
export interface ClientSettings {
  /** Absolute, without a trailing slash. */
  readonly baseUrl: string
  /** Identifies the organization, whose limits and stored answers these are: a label, the hash of a key, or what provides tokens. */
  readonly owner: string | object
  readonly bodyFormat: BodyFormat
  /** Whether a proxy is there: without a credential, or on the page's own origin. */
  readonly isProxy: boolean
  readonly credential: Credential
  readonly redactor: Redactor
  readonly limiter: CallLimiter
  readonly ledger: Ledger
  readonly endOfLife: EndOfLife
  /** The user's prices by operation id, in credits. */
  readonly prices: Readonly<Record<string, number>>
  /** Surfaces that the user has set, by operation id; null for none. */
  readonly surfaces: Readonly<Record<string, string | null>>
  /** Undefined for the global fetch. */
  readonly fetch: Fetch | undefined
}

/** What a call may set for itself, with the defaults of its client. */
export interface CallSettings {
  /** Undefined for the operation's own timeout. */
  readonly timeoutMs?: number | undefined
  readonly deadlineMs: number
  /** Time in which an attempt must be sent, from the start of the call. */
  readonly maxQueueWaitMs: number
  readonly retry: RetryPolicy
  readonly validation: Validation
  readonly budgets: readonly Budget[]
  readonly headers: UserHeaders
  readonly observers: readonly Observer[]
  /** Undefined if the user wants no lines. */
  readonly log?: Log | undefined
  readonly signal?: AbortSignal
  readonly priority: number
  readonly schema?: StandardSchemaV1 | undefined
  readonly paging?: PagingOverride
  readonly ceiling?: number
  readonly cache?: CacheUse
}
