import { within } from './abort.ts'

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
  const never = (): Promise<never> => new Promise(() => {})
  for (let left = ms; left > 0; left = end - performance.now())
    await within(Math.min(Math.ceil(left), maxTimerMs), never, () => {}, signal)
}
