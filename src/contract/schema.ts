import * as z from 'zod/mini'
import { type Issue, describeIssues, got } from './issues.ts'

/** Returns what is wrong with a value, or an empty list. */
export interface Check {
  (value: unknown): Issue[]
  /** The schema that decides. Its form is this package's own and may change; `src/contract/json-schema.ts` reads it. */
  readonly schema: () => unknown
}

/**
 * Turns a schema into a check. The schema is built at the first use: most programs touch few operations, and
 * a schema that is never used should cost nothing at start-up.
 *
 * @param accepts A faster check. What it accepts, the schema must accept too; the rest goes to the schema.
 */
export function check<T>(build: () => z.ZodMiniType<T>, accepts?: (value: unknown) => boolean): Check {
  let built: z.ZodMiniType<T> | undefined
  const schema = () => (built ??= build())
  const issues = (value: unknown) => (accepts?.(value) ? [] : describeIssues(schema(), value))
  return Object.assign(issues, { schema })
}

/** What JSON Schema says of a schema and the schema does not say itself: it counts lengths in code, and fills nothing in. */
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

/** Attaches notes to a schema. They change nothing of what it accepts. */
export function noted<Schema extends object>(schema: Schema, notes: Notes): Schema {
  allNotes.set(schema, notes)
  return schema
}

/** A field that may be absent; the service then takes `value`. */
export function defaulted<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): z.ZodMiniOptional<Schema> {
  return noted(z.optional(schema), { default: value })
}

/**
 * A string with bounds on its length, counted in Unicode code points. The service does not say which unit it
 * counts in; code points never exceed UTF-16 units, so a string refused here is too long under either reading.
 */
export function text(bounds: { min?: number; max: number }): z.ZodMiniString<string> {
  const schema = z.string().check((ctx) => {
    const length = codePoints(ctx.value, bounds.max)
    if (bounds.min !== undefined && length < bounds.min) {
      ctx.issues.push({
        code: 'too_small',
        origin: 'string',
        minimum: bounds.min,
        inclusive: true,
        input: ctx.value,
      })
    }
    if (length > bounds.max) {
      ctx.issues.push({
        code: 'too_big',
        origin: 'string',
        maximum: bounds.max,
        inclusive: true,
        input: ctx.value,
      })
    }
  })
  return noted(schema, {
    ...(bounds.min !== undefined && { minLength: bounds.min }),
    maxLength: bounds.max,
  })
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

/** An integer of 64 bits, as a bigint, or as a number that holds it exactly. */
export function int64() {
  const schema = z.custom<bigint | number>(
    (value) =>
      Number.isSafeInteger(value) || (typeof value === 'bigint' && BigInt.asIntN(64, value) === value),
    {
      error: ({ input }) =>
        `must be an integer of 64 bits, as a bigint or as a number that holds it exactly, got ${got(input)}`,
    },
  )
  return noted(schema, { type: 'integer', format: 'int64' })
}

/** Whether a value is a string of `min` to `max` code points. */
export function isText(value: unknown, min: number, max: number): boolean {
  if (typeof value !== 'string') return false
  const length = codePoints(value, max)
  return length >= min && length <= max
}

/** Exact only up to the bound: counting the rest of a huge string would be wasted work. */
function codePoints(value: string, bound: number): number {
  if (value.length <= bound || value.length > bound * 2) return value.length
  return Array.from(value).length
}
