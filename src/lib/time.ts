/** Longest delay that `setTimeout` can hold, in milliseconds; a longer one fires at once. */
export const maxTimerMs = 2 ** 31 - 1

/** The time in `ms` milliseconds; null for Infinity, an unknown time. */
export function dateIn(ms: number): Date | null {
  return ms === Infinity ? null : new Date(Date.now() + ms)
}

/**
 * Resolves after at least `ms` milliseconds, or rejects with the signal's reason. Timers may fire early, so it checks the
 * clock: no request may be sent before an announced time.
 */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  const end = performance.now() + ms
  for (let left = ms; left > 0; left = end - performance.now())
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', stop)
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', stop)
          resolve()
        },
        Math.min(Math.ceil(left), maxTimerMs),
      )
    })
}
