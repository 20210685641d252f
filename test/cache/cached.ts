import { type CacheStore, ResultCache } from '../../src/extensions/cache/index.ts'
import { makeClient } from '../support/service.ts'

export const minute = 60_000

/** A client with a cache of its own, whose answers last a minute. */
export function cached(options: Parameters<typeof makeClient>[0] = {}, store?: CacheStore) {
  const cache = new ResultCache({ maxAge: minute, store })
  return { cache, client: makeClient({ cache, ...options }) }
}

/** A store in memory, and what it holds. */
export function mapStore() {
  const values = new Map<string, string>()
  return {
    values,
    get: (key) => values.get(key),
    set: (key, value) => values.set(key, value),
    delete: (key) => values.delete(key),
  } satisfies CacheStore & { values: unknown }
}
