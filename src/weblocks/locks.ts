/**
 * Holds a lock until the returned function is called; the browser gives it back when the page or worker ends.
 *
 * @throws The signal's reason, or what the browser has against it.
 */
export function holdLock(name: string, signal: AbortSignal): Promise<() => void> {
  const { promise, resolve, reject } = Promise.withResolvers<() => void>()
  navigator.locks
    .request(name, { signal }, () => new Promise<void>((release) => resolve(release)))
    .catch(reject)
  return promise
}

/** Resolves when nobody holds a lock. */
export async function lockFree(name: string, signal: AbortSignal): Promise<void> {
  await navigator.locks.request(name, { mode: 'shared', signal }, () => {})
}

/** Names of the locks that are held and start in this way, without that start. */
export async function heldLocks(prefix: string): Promise<string[]> {
  const { held = [] } = await navigator.locks.query()
  return held.flatMap(({ name = '' }) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []))
}
