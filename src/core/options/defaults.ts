import { defaultRetry } from '../failures/retry-limits.ts'
import type { CallSettings } from './settings.ts'

/** Timeout of one attempt in milliseconds, unless the call or the operation has its own. */
export const defaultTimeoutMs = 30_000

/** Time for a token function, `headers`, a budget or a schema, in milliseconds: longer than an exchange of an OAuth token. */
export const userCodeMs = 60_000

export const packageDefaults: Omit<CallSettings, 'headers'> = {
  deadlineMs: Infinity,
  maxQueueWaitMs: Infinity,
  retry: defaultRetry,
  validation: 'strict',
  budgets: [],
  observers: [],
  priority: 0,
}
