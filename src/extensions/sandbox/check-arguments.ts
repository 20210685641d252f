/** Checks of the arguments passed to the sandbox. Each throws a TypeError with the field and its value. */

import { got } from '../../api/issues.ts'
import { check } from '../../api/schema/check.ts'
import type { Schema } from '../../api/schema/schema.ts'
import { isRecord } from '../../lib/json.ts'

export function fail(field: string, expected: string, value: unknown): never {
  throw new TypeError(`${field} must be ${expected}, got ${got(value)}`)
}

export function array<T>(field: string, value: readonly T[]): readonly T[] {
  return Array.isArray(value) ? [...(value as readonly T[])] : fail(field, 'an array', value)
}

/** Refuses unknown fields, which would otherwise be ignored. */
export function assertRecord(what: string, value: unknown, fields?: readonly string[]): void {
  const keys = isRecord(value) ? Object.keys(value) : fail(what, 'an object', value)
  const unknown = keys.find((key) => fields?.includes(key) === false)
  if (unknown !== undefined)
    throw new TypeError(`${what} has no field ${unknown}; it has ${fields?.join(', ')}`)
}

export function assertShape(schema: Schema & { readonly shape: object }, what: string, value: object): void {
  assertRecord(what, value, Object.keys(schema.shape))
  const [issue] = check(schema, value)
  if (issue !== undefined) throw new TypeError(`${what}: ${issue.path} ${issue.message}`)
}
