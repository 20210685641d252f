/** How far a call retries: the option `retry`, with its defaults. */
export interface RetryPolicy {
  /** Whether calls that may have been charged or applied are retried as well. */
  readonly ambiguous: boolean
  /** Infinity for those of the table. */
  readonly maxAttempts: number
  /** The longest `Retry-After` that is waited for. */
  readonly maxWaitMs: number
}

export const defaultRetry: RetryPolicy = { ambiguous: false, maxAttempts: Infinity, maxWaitMs: 60_000 }
