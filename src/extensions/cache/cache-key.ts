import type { Operation } from '../../api/operation.ts'
import type { Composed } from '../../extend.ts'
import { canonicalJson } from '../../lib/json.ts'
import { sha256 } from '../../lib/hash.ts'
import { type CacheStore, MemoryStore } from './store.ts'

/** Raise it when stored answers cannot be used any more. */
const format = 3

/** The name of a request: equal requests have the same. */
export function nameOf({ id, paging }: Operation, { path, params }: Composed): string {
  const isNumbered = paging !== undefined && paging.kind !== 'cursor'
  // Page 1 is the service's default.
  const named = isNumbered && params[paging.param] === 1 ? { ...params, [paging.param]: undefined } : params
  return canonicalJson([id, path, named]) ?? ''
}

/** The key of a request. A store outside of this process gets a hash, which contains neither organization nor params. */
export async function keyOf(store: CacheStore, owner: string, name: string): Promise<string> {
  const key = JSON.stringify([format, owner, name])
  return store instanceof MemoryStore ? key : sha256(key)
}
