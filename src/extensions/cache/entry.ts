import type { Operation } from '../../api/operation.ts'
import { check } from '../../api/schema/check.ts'
import { type ComposedRequest, paramsOf, type BodyFormat } from '../../extend.ts'
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
export function nameOf({ id, paging }: Operation, request: ComposedRequest): string {
  const params = paramsOf(request)
  const isNumbered = paging !== undefined && paging.kind !== 'cursor'
  // Page 1 is the service's default.
  const named = isNumbered && params?.[paging.param] === 1 ? { ...params, [paging.param]: undefined } : params
  return canonicalJson([id, request.path, named]) ?? ''
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
  // A copy, since what a store returns may change.
  const fields = isRecord(entry) ? { ...entry } : {}
  if (!isEntry(fields)) throw new TypeError('the store returned something else')
  if (check(operation.response, parse(fields.text)).length > 0)
    throw new TypeError('the store returned an answer that is not of the documented shape')
  return fields
}

/** A check for each field of an entry. */
const checks: { readonly [Field in keyof Entry]: (value: unknown) => boolean } = {
  at: (at) => Number.isInteger(at) && !Number.isNaN(new Date(Number(at)).getTime()),
  // A 204 or 205 has no body, a 206 only a part.
  status: (status) => Number.isInteger(status) && /^2(?!0[456])/.test(String(status)) && Number(status) < 300,
  type: (type) => type === null || isHeaderValue(type),
  text: (text) => typeof text === 'string',
  cost: (cost) => typeof cost === 'number' && cost >= 0 && cost <= Number.MAX_SAFE_INTEGER,
}

/** Whether the cache writes such an entry. */
export function isEntry(fields: Record<string, unknown>): fields is Record<string, unknown> & Entry {
  return (
    Object.keys(fields).length === Object.keys(checks).length &&
    Object.entries(checks).every(([name, check]) => check(fields[name]))
  )
}

/** The content type of a response; null if none can be stored, for example of a response that a user's `fetch` made. */
export function contentTypeOf({ headers }: Response): string | null {
  try {
    const type: unknown = headers.get('content-type')
    return isHeaderValue(type) ? type : null
  } catch {
    return null
  }
}

function isHeaderValue(value: unknown): value is string {
  try {
    return typeof value === 'string' && new Headers({ 'content-type': value }).get('content-type') === value
  } catch {
    return false
  }
}
