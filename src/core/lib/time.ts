/** Longest delay that `setTimeout` can hold, in milliseconds; a longer one fires at once. */
export const maxTimerMs = 2 ** 31 - 1

/** Monotonic milliseconds: changes of the wall clock do not move it. */
export function now(): number {
  return performance.now()
}

/**
 * Resolves when at least `ms` milliseconds have passed, or rejects with the reason of the signal, if there is one. Timers may fire a
 * little early; the clock decides, so that nothing is sent before an announced time.
 */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const end = now() + ms
  let timer: ReturnType<typeof setTimeout> | undefined
  const tick = (): void => {
    const left = end - now()
    if (left <= 0) settle(resolve)
    else timer = setTimeout(tick, Math.min(Math.ceil(left), maxTimerMs))
  }
  const onAbort = (): void => settle(() => reject(signal?.reason))
  const settle = (how: () => void): void => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
    how()
  }
  if (signal?.aborted) return Promise.reject(signal.reason)
  signal?.addEventListener('abort', onAbort)
  tick()
  return promise
}
