import { type SharedStore, Listeners } from '../store.ts'

/**
 * Makes a store for the limiters and budgets of one process: for tests, or to replace another store for a while.
 *
 * @example
 * const limiter = new SharedLimiter({ store: memoryStore(), organization: 'acme' })
 */
export function memoryStore(): SharedStore {
  const texts = new Map<string, string>()
  const listeners = new Listeners()
  return {
    async update(key, change) {
      const { value, message, result } = change(texts.get(key), Date.now(), performance.now())
      if (value === undefined) return result
      texts.set(key, value)
      // Listeners may update, so they come after this update.
      await Promise.resolve()
      if (message !== undefined) listeners.notify(key, message)
      return result
    },
    watch: (key, listener) => listeners.add(key, listener),
  }
}
