/** Checks of the arguments passed to the sandbox. Each throws a TypeError with the field and its value. */

import { isRecord } from '../../lib/is-record.ts'
import { messageOf } from '../../lib/thrown.ts'

export function fail(field: string, expected: string, value: unknown): never {
  throw new TypeError(`${field} must be ${expected}, got ${show(value)}`)
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

/** A copy of a value, as JSON carries it. */
export function jsonCopy<T>(field: string, value: T): T {
  try {
    return JSON.parse(JSON.stringify(value)) as T
  } catch {
    return fail(field, 'plain JSON', value)
  }
}

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
  return typeof value === 'object' && value !== null ? 'an object' : messageOf(value)
}
