/** How a lock is asked for. */
interface LockRequest {
  readonly signal: AbortSignal
  /** Takes the lock from whoever holds it. */
  readonly steal?: boolean
  /** Called when somebody else takes it. */
  readonly onLost?: () => void
}

/**
 * Holds a lock until the returned function is called; the browser gives it back when the page or worker ends.
 *
 * @throws The signal's reason, or what the browser has against it.
 */
export function holdLock(name: string, { signal, steal = false, onLost }: LockRequest): Promise<() => void> {
  const { promise, resolve, reject } = Promise.withResolvers<() => void>()
  let isHeld = false
  const hold = (): Promise<void> => {
    isHeld = true
    return new Promise((release) => resolve(release))
  }
  // A lock cannot be stolen and waited for at a time.
  const request = navigator.locks.request(name, steal ? { steal } : { signal }, hold)
  request.catch((error: unknown) => {
    if (isHeld) onLost?.()
    else reject(error)
  })
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

/** Whether one page or worker holds both locks. */
export async function haveOneHolder(one: string, other: string): Promise<boolean> {
  const { held = [] } = await navigator.locks.query()
  const holder = (lock: string): string | undefined => held.find(({ name }) => name === lock)?.clientId
  return holder(one) !== undefined && holder(one) === holder(other)
}
