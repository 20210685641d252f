import type { StandardSchemaV1 } from '@standard-schema/spec'
import { count } from '../../contract/count.ts'
import { ConfigurationError } from '../../errors.ts'
import { maxTimerMs } from './time.ts'

export function assertObject(name: string, value: unknown): asserts value is object {
  if (typeof value !== 'object' || value === null) {
    throw new ConfigurationError(`${name} must be an object, got ${shown(value)}`)
  }
}

/**
 * Rejects unknown option names, which would otherwise be ignored.
 *
 * @param name The option that holds them; empty at the top level.
 */
export function assertOptions(options: unknown, known: object, name = ''): void {
  assertObject(name || 'options', options)
  const unknown = Object.keys(options).find((key) => !Object.hasOwn(known, key))
  if (unknown === undefined) return
  const names = Object.keys(known)
  const near = names.find((each) => isNear(unknown.toLowerCase(), each.toLowerCase()))
  const hint = near === undefined ? `expected one of ${names.join(', ')}` : `did you mean ${near}?`
  throw new ConfigurationError(`unknown option ${name && `${name}.`}${unknown}; ${hint}`)
}

/** Whether two words differ in one place only, by up to two letters. */
function isNear(word: string, other: string): boolean {
  if (word !== '' && word[0] === other[0]) return isNear(word.slice(1), other.slice(1))
  if (word !== '' && word.at(-1) === other.at(-1)) return isNear(word.slice(0, -1), other.slice(0, -1))
  return word.length < 3 && other.length < 3
}

export function assertFunction(name: string, value: unknown): void {
  if (typeof value !== 'function')
    throw new ConfigurationError(`${name} must be a function, got ${shown(value)}`)
}

export function assertMethod(name: string, value: unknown, method: string): void {
  if (typeof (value as Record<string, unknown> | null)?.[method] === 'function') return
  throw new ConfigurationError(`${name} must have a ${method}() method, got ${shown(value)}`)
}

export function assertSchema(schema: unknown): void {
  const { validate } = (schema as Partial<StandardSchemaV1> | null)?.['~standard'] ?? {}
  if (typeof validate !== 'function')
    throw new ConfigurationError(`schema must be a Standard Schema, got ${shown(schema)}`)
}

/** Accepts undefined, too. */
export function assertSignal(name: string, value: unknown): void {
  if (value !== undefined && typeof (value as AbortSignal | null)?.throwIfAborted !== 'function')
    throw new ConfigurationError(`${name} must be an AbortSignal, got ${shown(value)}`)
}

export function nonEmptyText(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw new ConfigurationError(`${name} must be a string that is not empty, got ${shown(value)}`)
}

/** Checks a duration, which must fit a timer. */
export function milliseconds(name: string, value: unknown): number {
  if (typeof value !== 'number' || !(value >= 1) || value > maxTimerMs) {
    throw new ConfigurationError(
      `${name} must be a number of milliseconds from 1 to ${maxTimerMs}, got ${shown(value)}`,
    )
  }
  return value
}

/** Checks a whole number from 1 to `max`. */
export function wholeNumber(name: string, value: unknown, max = Infinity): number {
  if (Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= max) return Number(value)
  const range = max === Infinity ? 'of at least 1' : `from 1 to ${max}`
  throw new ConfigurationError(`${name} must be a whole number ${range}, got ${shown(value)}`)
}

/** Describes a value in a message. Of text it shows only the length, since it may be a secret. */
export function shown(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' ? `a string of ${count(value.length, 'character')}` : typeof value
}

/** Like {@link shown}, but repeats a short word of letters: it is a typo rather than a secret. */
export function shownWord(value: unknown): string {
  return typeof value === 'string' && /^[a-z]{1,16}$/i.test(value) ? JSON.stringify(value) : shown(value)
}
