/** A signal of one's own that follows others for as long as it is needed. */
export interface LinkedAbort {
  readonly signal: AbortSignal
  abort(reason: unknown): void
  /** Lets go of the followed signals, which may live much longer. */
  dispose(): void
}

/**
 * Makes a signal that aborts when any of the given ones does. `AbortSignal.any` would do the same but leaves
 * entries on a long-lived source until they are collected; here nothing is left after `dispose`.
 */
export function linkAbort(sources: readonly (AbortSignal | undefined)[]): LinkedAbort {
  const controller = new AbortController()
  const followed = new Map<AbortSignal, () => void>()
  const dispose = (): void => {
    for (const [source, follow] of followed) source.removeEventListener('abort', follow)
    followed.clear()
  }
  const abort = (reason: unknown): void => {
    dispose()
    controller.abort(reason)
  }
  for (const source of sources) {
    if (source === undefined) continue
    const follow = (): void => abort(source.reason)
    if (source.aborted) {
      follow()
      break
    }
    followed.set(source, follow)
    source.addEventListener('abort', follow)
  }
  return { signal: controller.signal, abort, dispose }
}

/**
 * Settles with the work, or rejects with the signal's reason as soon as it aborts, whether or not the work
 * heeds the signal. A late result of abandoned work is dropped, and so is its late failure.
 */
export async function abortable<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  try {
    return await Promise.race([work(), promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/**
 * Settles with the work, or with what `late` makes of it when so many milliseconds have passed; the signal that the work
 * is given aborts then.
 */
export async function within<T, L>(
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  late: () => L,
): Promise<T | L> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), ms)
  try {
    return await abortable(limit.signal, () => work(limit.signal))
  } catch (error) {
    if (!limit.signal.aborted) throw error
    return late()
  } finally {
    clearTimeout(timer)
  }
}
