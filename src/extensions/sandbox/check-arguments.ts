/** Checks of the arguments passed to the sandbox. Each throws a TypeError with the field and its value. */

import { isRecord } from '../../lib/is-record.ts'
import { messageOf } from '../../lib/thrown.ts'

/** Longest wait in milliseconds, so that two of them together still fit into a timer. */
export const longestWaitMs = 1_000_000_000

export function fail(field: string, expected: string, value: unknown): never {
  throw new TypeError(`${field} must be ${expected}, got ${show(value)}`)
}

export function number(field: string, value: unknown, min: number, max: number): number {
  if (typeof value === 'number' && value >= min && value <= max) return value
  return fail(field, `a number from ${min} to ${max}`, value)
}

export function integer(
  field: string,
  value: unknown,
  min: number = Number.MIN_SAFE_INTEGER,
  max: number = Number.MAX_SAFE_INTEGER,
): number {
  if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) return Number(value)
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  return fail(field, min === Number.MIN_SAFE_INTEGER ? 'an integer' : `an integer ${range}`, value)
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
  if (Array.isArray(value))
    return `[${value.map((each) => (Array.isArray(each) ? 'an array' : show(each))).join(', ')}]`
  return typeof value === 'object' && value !== null ? 'an object' : messageOf(value)
}
