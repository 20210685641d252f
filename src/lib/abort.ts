const followers = new WeakMap<AbortSignal, Set<(reason: unknown) => void>>()

/**
 * Calls a function when the signal aborts. All followers share one listener, since each added listener makes the next
 * one slower.
 *
 * @returns Stops following. A signal without followers has no listener.
 */
export function followAbort(signal: AbortSignal, follower: (reason: unknown) => void): () => void {
  const following = followers.get(signal) ?? new Set()
  if (following.size === 0) signal.addEventListener('abort', abortAll)
  followers.set(signal, following.add(follower))
  return () => {
    following.delete(follower)
    if (following.size === 0) signal.removeEventListener('abort', abortAll)
  }
}

function abortAll(this: AbortSignal): void {
  for (const follower of followers.get(this) ?? []) follower(this.reason)
}

/** A timer that is this late in milliseconds was due while the process was stopped or busy. */
const graceMs = 500

/**
 * Runs a function after `ms` milliseconds. If the process was stopped or busy then, what came in time is read first.
 *
 * @returns Stops waiting.
 */
export function runAfter(ms: number, run: () => void): () => void {
  const due = performance.now() + ms
  let timer = setTimeout(() => {
    if (ms < graceMs || performance.now() < due + graceMs) run()
    else timer = setTimeout(run, graceMs)
  }, ms)
  return () => clearTimeout(timer)
}

/**
 * Settles with the work, or with the result of `late` after `ms` milliseconds, when the work's signal aborts.
 *
 * @param ms Infinity for no timer.
 * @param leave When it aborts, the work's signal aborts as well, and the result rejects with its reason.
 */
export async function within<T, L>(
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  late?: () => L,
  leave?: AbortSignal,
): Promise<T | L> {
  leave?.throwIfAborted()
  const limit = new AbortController()
  let stopTimer = (): void => {}
  let stop = (): void => {}
  try {
    return await new Promise<T | L>((resolve, reject) => {
      stop = () => {
        // Both may be due at once.
        stopTimer()
        reject(leave?.reason)
        limit.abort(leave?.reason)
      }
      if (ms !== Infinity)
        stopTimer = runAfter(ms, () => {
          resolve(Promise.resolve().then(late))
          limit.abort()
        })
      leave?.addEventListener('abort', stop)
      work(limit.signal).then(resolve, reject)
    })
  } finally {
    stopTimer()
    leave?.removeEventListener('abort', stop)
  }
}
