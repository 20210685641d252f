import type { Operation } from '../../api/operation.ts'
import { check } from '../../api/schema/check.ts'
import type { Composed, BodyFormat } from '../../extend.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import { sha256 } from '../../lib/hash.ts'
import { isRecord } from '../../lib/is-record.ts'
import { type CacheStore, MemoryStore } from './store.ts'

/** Raise it when stored answers cannot be used any more. */
const format = 3

/** An answer as a store keeps it. It holds no credential and no params. */
export interface Entry {
  /** When it arrived, in milliseconds since 1970. */
  readonly at: number
  readonly status: number
  readonly type: string | null
  readonly text: string
  /** What it cost, in credits. */
  readonly cost: number
}

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

/**
 * Reads what a store has returned for a key; null if there is nothing.
 *
 * @throws if the cache would not write it for the operation.
 */
export function readEntry(value: unknown, operation: Operation, { parse }: BodyFormat): Entry | null {
  if (value === undefined || value === null) return null
  const entry: unknown = typeof value === 'string' ? JSON.parse(value) : value
  if (!isEntry(entry)) throw new TypeError('the store returned something else')
  if (check(operation.response, parse(entry.text)).length > 0)
    throw new TypeError('the store returned an answer that is not of the documented shape')
  // Throws for a status or type that no response has.
  responseOf(entry)
  // A copy, since what a store returns may change.
  return { ...entry }
}

function isEntry(value: unknown): value is Entry {
  const { at, status, type, text, cost } = isRecord(value) ? value : {}
  return (
    [at, status].every((number) => Number.isFinite(number)) &&
    typeof cost === 'number' &&
    cost >= 0 &&
    cost <= Number.MAX_SAFE_INTEGER &&
    (type === null || typeof type === 'string') &&
    typeof text === 'string'
  )
}

/** The response of an entry, without its body. */
export function responseOf({ status, type }: Entry): Response {
  return new Response(null, { status, headers: type === null ? {} : { 'content-type': type } })
}
