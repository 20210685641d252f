import type { CallOptions } from '../../src/index.ts'
import { type CacheStore, ResultCache } from '../../src/extensions/cache/index.ts'
import { settle } from '../support/clock.ts'
import { idsOf, query } from '../support/search.ts'
import { makeClient } from '../support/service.ts'

export const minute = 60_000

/** A client with a cache of its own, whose answers last a minute. */
export function cached(options: Parameters<typeof makeClient>[0] = {}, store?: CacheStore) {
  const cache = new ResultCache({ maxAge: minute, store })
  const client = makeClient({ cache, ...options })
  /** The ids of the posts that a search finds, with all of its pages. */
  const walk = async (given?: CallOptions['cache']) => {
    const posts = client.microblog.search(query, { cache: given }).toArray({ limit: 9 })
    return idsOf((await settle(posts)).value!)
  }
  return { cache, client, walk }
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
