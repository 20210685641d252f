/** Longest delay that `setTimeout` can hold, in milliseconds; a longer one fires at once. */
export const maxTimerMs = 2 ** 31 - 1

/** When so many milliseconds will have passed; null for Infinity, which stands for a time that is not known. */
export function dateIn(ms: number): Date | null {
  return ms === Infinity ? null : new Date(Date.now() + ms)
}

/**
 * Calls a function when at least `ms` milliseconds have passed. Timers may fire a little early; the clock decides, so that
 * nothing is sent before an announced time.
 *
 * @returns Cancels it.
 */
export function after(ms: number, then: () => void): () => void {
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

/** Resolves when at least `ms` milliseconds have passed, or rejects with the reason of the signal, if there is one. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.reject(signal.reason)
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      cancel()
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    // A short time may have passed before `after()` returns.
    const cancel = after(ms, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
  })
}
