/** Longest delay that `setTimeout` can hold, in milliseconds; a longer one fires at once. */
export const maxTimerMs = 2 ** 31 - 1

/** The time in `ms` milliseconds; null for Infinity, an unknown time. */
export function dateIn(ms: number): Date | null {
  return ms === Infinity ? null : new Date(Date.now() + ms)
}

/**
 * Calls a function after at least `ms` milliseconds. Timers may fire early, so it checks the clock: no request may be
 * sent before an announced time.
 *
 * @returns Cancels the timer.
 */
function after(ms: number, then: () => void): () => void {
  const end = performance.now() + ms
  let timer: ReturnType<typeof setTimeout> | undefined
  const tick = (): void => {
    const left = end - performance.now()
    if (left <= 0) then()
    else timer = setTimeout(tick, Math.min(Math.ceil(left), maxTimerMs))
  }
  tick()
  return () => clearTimeout(timer)
}

/** Resolves after at least `ms` milliseconds, or rejects with the signal's reason. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.reject(signal.reason)
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      cancel()
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    // `after()` may call back at once, so the listener comes first.
    const cancel = after(ms, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
  })
}
