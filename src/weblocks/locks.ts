/** Options of {@link holdLock}. */
interface LockRequest {
  readonly signal: AbortSignal
  /** Takes the lock from its current holder. */
  readonly steal?: boolean
  /** Called when another page or worker steals the lock. */
  readonly onLost?: () => void
}

/**
 * Takes a lock and holds it until you call the returned function, or until the page or worker ends.
 *
 * @throws The signal's reason, or the browser's error if it refuses the lock.
 */
export function holdLock(name: string, { signal, steal = false, onLost }: LockRequest): Promise<() => void> {
  return new Promise((resolve, reject) => {
    let isHeld = false
    const hold = (): Promise<void> => {
      isHeld = true
      return new Promise((release) => resolve(release))
    }
    // The browser does not accept `steal` together with `signal`.
    const request = navigator.locks.request(name, steal ? { steal } : { signal }, hold)
    request.catch((error: unknown) => {
      if (isHeld) onLost?.()
      else reject(error)
    })
  })
}

/** Names of the held locks that start with `prefix`, without the prefix. */
export async function heldLocks(prefix: string): Promise<string[]> {
  const { held = [] } = await navigator.locks.query()
  return held.flatMap(({ name = '' }) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []))
}

/** Whether the same page or worker holds both locks. */
export async function haveSameHolder(one: string, other: string): Promise<boolean> {
  const { held = [] } = await navigator.locks.query()
  const holder = (lock: string): string | undefined => held.find(({ name }) => name === lock)?.clientId
  return holder(one) !== undefined && holder(one) === holder(other)
}
