import pRetry from 'p-retry'

/**
 * Repeats an attempt for as long as `proceeds` says so; it also does the waiting. An attempt must throw an error of its own
 * class: p-retry gives up on a TypeError, and does not know those of every runtime's fetch.
 */
export function retrying<T>(
  attempt: () => Promise<T>,
  proceeds: (error: Error) => Promise<boolean>,
): Promise<T> {
  return pRetry(attempt, {
    retries: Infinity,
    minTimeout: 0,
    shouldRetry: ({ error }) => proceeds(error),
  })
}
