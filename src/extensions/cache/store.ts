import { within } from '../../lib/abort.ts'
import { remember } from '../../lib/remember.ts'

/** Where a cache keeps answers. Each method may return a promise. */
export interface CacheStore {
  /** Returns the text, or its parsed JSON; undefined or null if there is none. */
  get(key: string): unknown
  /** Stores a JSON text, which may be deleted after `maxAge` milliseconds. */
  set(key: string, value: string, maxAge: number): unknown
  delete(key: string): unknown
  /** Deletes everything. Only `cache.clear()` needs it. */
  clear?(): unknown
}

/** Time for one operation of a store, in milliseconds. */
const storeMs = 1000

/** Keeps the most recently used values in memory. */
export class MemoryStore implements CacheStore {
  readonly #values = new Map<string, string>()
  readonly #maxEntries: number

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries
  }

  get(key: string): string | undefined {
    const value = this.#values.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  set(key: string, value: string): void {
    remember(this.#values, key, value, this.#maxEntries)
  }

  delete(key: string): void {
    this.#values.delete(key)
  }

  clear(): void {
    this.#values.clear()
  }
}

/** Asks a store; rejects if it fails or does not reply in time. */
export function askStore<T>(work: () => T | Promise<T>): Promise<T> {
  return within(
    storeMs,
    async () => work(),
    (): never => {
      throw new Error(`the store did not reply within ${storeMs} ms`)
    },
  )
}
