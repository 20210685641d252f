import { ResultCache } from '../../src/cache/index.ts'
import { makeClient } from '../support/service.ts'

export const minute = 60_000

/** A client with a cache of its own, whose answers last a minute. */
export function cached(options: Parameters<typeof makeClient>[0] = {}) {
  const cache = new ResultCache({ maxAge: minute })
  return { cache, client: makeClient({ cache, ...options }) }
}
