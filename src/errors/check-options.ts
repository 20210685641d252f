import type { StandardSchemaV1 } from '@standard-schema/spec'
import { got } from '../api/issues.ts'
import { count } from '../lib/count.ts'
import { ConfigurationError } from './index.ts'
import { builtin } from '../lib/runtime.ts'
import { maxTimerMs } from '../lib/time.ts'

/** Returns a valid value. Otherwise it throws an error with the rule and a description of the value. */
export function requireOption<T>(value: T, isValid: boolean, rule: string): T {
  if (isValid) return value
  throw new ConfigurationError(`${rule}, got ${describeValue(value)}`)
}

export function assertObject(name: string, value: unknown): asserts value is object {
  requireOption(value, typeof value === 'object' && value !== null, `${name} must be an object`)
}

/** Names all options, so that the compiler finds a missing name. */
export type Names<Options> = { readonly [Name in keyof Options]-?: unknown }

/**
 * Rejects unknown option names, which would otherwise be ignored.
 *
 * @param name The option that holds them; empty at the top level.
 */
export function assertOptions<Options extends object>(
  options: Options,
  known: Names<NoInfer<Options>>,
  name = '',
): void {
  assertObject(name || 'options', options)
  const unknown = Object.keys(options).find((key) => !Object.hasOwn(known, key))
  if (unknown === undefined) return
  const path = name === '' ? unknown : `${name}.${unknown}`
  throw new ConfigurationError(`unknown option ${path}; expected one of ${Object.keys(known).join(', ')}`)
}

/** @param name What needs SQLite. */
export function assertSqlite(name: string): void {
  if (builtin('node:sqlite') !== undefined) return
  throw new ConfigurationError(`${name} needs node:sqlite, which Node has from version 22.13`)
}

export function assertFunction<T>(name: string, value: T): T {
  return requireOption(value, typeof value === 'function', `${name} must be a function`)
}

export function assertMethod<T>(name: string, value: T, method: string): T {
  const found = (value as Record<string, unknown> | null | undefined)?.[method]
  return requireOption(value, typeof found === 'function', `${name} must implement ${method}()`)
}

export function assertSchema<T>(schema: T): T {
  const { validate } = (schema as Partial<StandardSchemaV1> | null | undefined)?.['~standard'] ?? {}
  return requireOption(schema, typeof validate === 'function', 'schema must be a Standard Schema')
}

/** Accepts undefined as well. */
export function assertSignal<T>(name: string, value: T): T {
  const isSignal = typeof (value as AbortSignal | null | undefined)?.throwIfAborted === 'function'
  return requireOption(value, isSignal || value === undefined, `${name} must be an AbortSignal`)
}

export function nonEmptyText(name: string, value: unknown): string {
  const isValid = typeof value === 'string' && value !== ''
  return requireOption(value as string, isValid, `${name} must be a string that is not empty`)
}

/** Checks a duration, which must fit a timer. Rounds it, because messages repeat it. */
export function milliseconds(name: string, value: unknown): number {
  const isValid = typeof value === 'number' && value >= 1 && value <= maxTimerMs
  const rule = `${name} must be a number of milliseconds from 1 to ${maxTimerMs}`
  return Math.round(requireOption(value as number, isValid, rule))
}

/** Checks a whole number from 1 to `max`. */
export function wholeNumber(name: string, value: unknown, max = Infinity): number {
  const range = max === Infinity ? 'of at least 1' : `from 1 to ${max}`
  const isValid = Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= max
  return requireOption(value as number, isValid, `${name} must be a whole number ${range}`)
}

/** Describes a value in a message. Of text it shows only the length, since it may be a secret. */
export function describeValue(value: unknown): string {
  return typeof value === 'string' ? `a string of ${count(value.length, 'character')}` : got(value)
}

/** Like {@link describeValue}, but repeats a short word of letters: it is a typo rather than a secret. */
export function describeWord(value: unknown): string {
  return typeof value === 'string' && /^[a-z]{1,16}$/i.test(value)
    ? JSON.stringify(value)
    : describeValue(value)
}
