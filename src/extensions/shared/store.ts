// What limiters and budgets need of a store: to change a text while no other process does, and to send messages about it.

import { within } from '../../lib/abort.ts'
import { sha256 } from '../../lib/hash.ts'

/** What a change makes of a text. */
export interface TextChange<T> {
  /** The new text. Without it, the store keeps the one that it has. */
  value?: string | undefined
  /** A short message to every {@link SharedStore.watch}. Without it, the store calls no listener. */
  message?: string | undefined
  /** The store may forget the text after so many milliseconds without a change. Default: never. */
  ttlMs?: number | undefined
  /** What `update` resolves with. */
  result: T
}

/**
 * Computes a change from the text, the clock and the time before both were read. It is synchronous and has no effects: a store may call it
 * several times for one update.
 */
export type ChangeText<T> = (value: string | undefined, clock: number, readAt: number) => TextChange<T>

/**
 * Keeps short texts for several processes. Limiters and budgets differ by their store only.
 *
 * @example
 * const count = (value = '0') => ({ value: String(Number(value) + 1), result: Number(value) + 1 })
 * const visits = await memoryStore().update('visits', count)
 */
export interface SharedStore {
  /**
   * Reads a text, calls `change`, and stores what it returns, but only if no process has changed the text in between.
   * Otherwise it begins again, with the new text. Rejects if the text may not have been stored.
   *
   * `clock` is a clock that all processes read, in milliseconds; it may be set at any time. `readAt` is
   * `performance.now()` of this process, taken before text and clock were read.
   */
  update<T>(key: string, change: ChangeText<T>): Promise<T>
  /**
   * Calls the listener with each message, and without one if it may have missed some, for example when a connection is back.
   * Returns a function that ends it. It saves waiting: processes check again and again in any case.
   */
  watch?(key: string, listener: (message?: string) => void): () => void
}

/**
 * The key of a text.
 *
 * @param kind Names its format, with a number that changes with the format.
 * @param owner Hashed, since it may be an API key.
 */
export async function textKey(kind: string, owner: string): Promise<string> {
  return `${kind}:${(await sha256(owner)).slice(0, 32)}`
}

/** Runs an update, and rejects after `ms` without a reply. From then on, the store cannot compute the change. */
export function updateWithin<T>(
  ms: number,
  update: (inTime: ChangeText<T>) => Promise<T>,
  change: ChangeText<T>,
): Promise<T> {
  let isLate = false
  const inTime: ChangeText<T> = (...args) => {
    if (isLate) throw new Error('too late')
    return change(...args)
  }
  const late = (): never => {
    isLate = true
    throw new Error(`no reply within ${ms} ms`)
  }
  return within(ms, () => update(inTime), late)
}
