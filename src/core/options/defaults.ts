import type { RetryPolicy } from '../failures/backoff.ts'
import type { CallSettings } from './settings.ts'

/** Timeout of one attempt in milliseconds, unless the call or the operation has its own. */
export const defaultTimeoutMs = 30_000

/** `maxWaitMs`: the longest `Retry-After` that is waited for. */
export const defaultRetry: RetryPolicy = { ambiguous: false, maxAttempts: Infinity, maxWaitMs: 60_000 }

export const packageDefaults: Omit<CallSettings, 'headers'> = {
  deadlineMs: Infinity,
  maxQueueWaitMs: Infinity,
  retry: defaultRetry,
  validation: 'strict',
  budgets: [],
  observers: [],
  priority: 0,
}
