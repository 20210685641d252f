import * as z from 'zod/mini'

/** Adds to a JSON Schema what zod does not emit: lengths that are checked in code, and defaults. */
export interface Notes {
  type?: 'integer'
  format?: 'int64'
  minLength?: number
  maxLength?: number
  default?: unknown
  deprecated?: true
}

const allNotes = new WeakMap<object, Notes>()

export function notesOf(schema: object): Notes | undefined {
  return allNotes.get(schema)
}

/** Attaches notes to a schema. They do not change which values it accepts. */
export function noted<Schema extends object>(schema: Schema, notes: Notes): Schema {
  allNotes.set(schema, notes)
  return schema
}

/** An optional field with the default `value` on the service's side. */
export function defaulted<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): z.ZodMiniOptional<Schema> {
  return noted(z.optional(schema), { default: value })
}

/** A string with bounds on its length, in code points. */
export function text({ min = 0, max }: { min?: number; max: number }): z.ZodMiniString<string> {
  const schema = z.string().check(
    z.refine((value) => {
      const { length } = Array.from(value)
      return length >= min && length <= max
    }),
  )
  return noted(schema, { ...(min > 0 && { minLength: min }), maxLength: max })
}

/** A list of strings with bounds on its size and on each item's length. */
export function texts(bounds: {
  maxItems: number
  maxLength: number
}): z.ZodMiniArray<z.ZodMiniString<string>> {
  return z.array(text({ max: bounds.maxLength })).check(z.maxLength(bounds.maxItems))
}

/** An integer with inclusive bounds. */
export function integer(bounds: { min: number; max?: number }): z.ZodMiniNumber<number> {
  const schema = z.int().check(z.minimum(bounds.min))
  return bounds.max === undefined ? schema : schema.check(z.maximum(bounds.max))
}

/** An integer of 64 bits: a bigint, or a number that holds it exactly. */
export function int64() {
  const schema = z.custom<bigint | number>(
    (value) =>
      Number.isSafeInteger(value) || (typeof value === 'bigint' && BigInt.asIntN(64, value) === value),
  )
  return noted(schema, { type: 'integer', format: 'int64' })
}
