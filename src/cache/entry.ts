import { itemsOf } from '../api/list-items.ts'
import type { Operation } from '../api/operation.ts'
import { check } from '../api/schema/check.ts'
import { type ComposedRequest, paramsOf } from '../core/call/compose-request.ts'
import type { Dialect } from '../core/http/dialect.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { sha256 } from '../lib/hash.ts'
import { isRecord } from '../lib/is-record.ts'
import { type CacheStore, MemoryStore } from './store.ts'

/** Raise it when stored answers cannot be used any more. */
const format = 1

/** An answer as a store keeps it. It holds no credential and no params. */
export interface Entry {
  /** When it arrived, in milliseconds since 1970. */
  readonly at: number
  readonly status: number
  readonly type: string | null
  readonly text: string
  /** What it cost, in credits. */
  readonly cost: number
  /** Identifies the first page that it follows, or itself if it is one. */
  readonly walk: string | null
}

/** The names of a request: equal requests have the same. */
export interface RequestNames {
  readonly own: string
  /** The name of the first page, for a further page of a walk. */
  readonly first: string | null
}

export function namesOf({ id, paging }: Operation, request: ComposedRequest): RequestNames {
  const params = { ...paramsOf(request) }
  const nameOf = (params: object) => canonicalJson([id, request.path, params]) ?? ''
  if (paging === undefined) return { own: nameOf(params), first: null }
  const { [paging.param]: place, ...others } = params
  const first = nameOf(others)
  const isFirst = place === undefined || (paging.kind !== 'cursor' && place === 1)
  return isFirst ? { own: first, first: null } : { own: nameOf(params), first }
}

/** The key of a request. A store that others may read gets a hash, which tells neither organization nor params. */
export async function keyOf(store: CacheStore, owner: string, name: string): Promise<string> {
  const key = JSON.stringify([format, owner, name])
  return store instanceof MemoryStore ? key : sha256(key)
}

/** Identifies a first page by its items and its cursor. Further pages of another first page do not belong to it. */
export function walkOf(operation: Operation, body: unknown): string {
  const ids = itemsOf(operation, body)?.map((item) =>
    isRecord(item) ? (item['id'] ?? item['urn'] ?? item) : item,
  )
  const { nextCursor } = (body as { meta?: { nextCursor?: unknown } }).meta ?? {}
  return canonicalJson([ids, nextCursor]) ?? ''
}

/**
 * Reads what a store has returned for a key; null if there is nothing.
 *
 * @throws if it is not a documented answer of the operation.
 */
export function readEntry(value: unknown, operation: Operation, { parse }: Dialect): Entry | null {
  if (value === undefined || value === null) return null
  const entry: unknown = typeof value === 'string' ? JSON.parse(value) : value
  if (!isRecord(entry) || !isEntry(entry)) throw new TypeError('the store returned something else')
  if (check(operation.response, parse(entry.text)).length > 0)
    throw new TypeError('the store returned an answer that is not of the documented shape')
  return entry
}

function isEntry(entry: Record<string, unknown>): entry is Entry & Record<string, unknown> {
  const { at, status, type, text, cost, walk } = entry
  return (
    Number.isFinite(at) &&
    Number.isInteger(status) &&
    Number(status) >= 200 &&
    Number(status) <= 299 &&
    Number.isFinite(cost) &&
    typeof text === 'string' &&
    [type, walk].every((each) => each === null || typeof each === 'string')
  )
}
