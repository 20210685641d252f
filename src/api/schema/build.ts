import * as z from 'zod/mini'
import { got } from '../issues.ts'

/** What zod cannot put into JSON Schema: lengths in code points, defaults of the service, integers of 64 bits. */
interface Notes {
  type?: 'integer' | 'object'
  format?: 'int64'
  minLength?: number
  maxLength?: number
  default?: unknown
  deprecated?: true
}

/** Adds to the JSON Schema of a schema. Notes do not change which values it accepts. */
export function noted<Type extends z.ZodMiniType>(schema: Type, notes: Notes): Type {
  z.globalRegistry.add(schema, { ...notes })
  return schema
}

/** An optional field with the default `value` on the service's side. */
export function defaulted<Type extends z.ZodMiniType>(schema: Type, value: unknown): z.ZodMiniOptional<Type> {
  return noted(z.optional(schema), { default: value })
}

/**
 * A string with bounds on its length, in code points: the service does not document its unit, and no unit gives a
 * smaller count, so a refused text is too long in any unit.
 */
export function text({ min = 0, max }: { min?: number; max: number }): z.ZodMiniString<string> {
  const schema = z.string().check(({ value, issues }) => {
    // At least half of the UTF-16 units are code points, so a text that is far too long need not be counted.
    const length = value.length > max * 2 ? value.length : Array.from(value).length
    const issue = { origin: 'string', inclusive: true, input: value, length } as const
    if (length < min) issues.push({ ...issue, code: 'too_small', minimum: min })
    if (length > max) issues.push({ ...issue, code: 'too_big', maximum: max })
  })
  return noted(schema, { ...(min > 0 && { minLength: min }), maxLength: max })
}

/** A list of strings with bounds on its size and on each item's length. */
export function texts(bounds: {
  maxItems: number
  maxLength: number
}): z.ZodMiniArray<z.ZodMiniString<string>> {
  return z.array(text({ max: bounds.maxLength })).check(z.maxLength(bounds.maxItems))
}

export function integer(bounds: { min: number; max?: number }): z.ZodMiniNumber<number> {
  const schema = z.int().check(z.minimum(bounds.min))
  return bounds.max === undefined ? schema : schema.check(z.maximum(bounds.max))
}

/** An integer of 64 bits: a bigint, or a number that holds it exactly. */
export function int64(): z.ZodMiniCustom<bigint | number, bigint | number> {
  const form = 'an integer of 64 bits, as a bigint or as a number that holds it exactly'
  const schema = z.custom<bigint | number>(
    (value: unknown) =>
      Number.isSafeInteger(value) || (typeof value === 'bigint' && BigInt.asIntN(64, value) === value),
    { error: ({ input }) => `must be ${form}, got ${got(input)}` },
  )
  return noted(schema, { type: 'integer', format: 'int64' })
}
