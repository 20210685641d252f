import pRetry from 'p-retry'
import { AttemptFailure } from './failure.ts'

/**
 * Repeats an attempt for as long as `proceeds` says so; it also does the waiting. An attempt throws
 * nothing but an AttemptFailure: p-retry gives up on a TypeError, and does not know those of every runtime's fetch.
 */
export function retrying<T>(
  attempt: () => Promise<T>,
  proceeds: (failure: AttemptFailure) => Promise<boolean>,
): Promise<T> {
  return pRetry(attempt, {
    retries: Infinity,
    minTimeout: 0,
    shouldRetry: ({ error }) => error instanceof AttemptFailure && proceeds(error),
  })
}
