import type { Operation } from '../../api/operation.ts'
import { check } from '../../api/schema/check.ts'
import type { BodyFormat } from '../../extend.ts'
import { isRecord } from '../../lib/json.ts'

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
    Number.isFinite(at) &&
    // Of a success with a text.
    typeof status === 'number' &&
    /^2(?!0[45])\d\d$/.test(String(status)) &&
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
