import * as z from 'zod/mini'
import { got } from '../issues.ts'

/** A zod schema of this package. `social-search-sdk/schemas` exports the documented ones with the types of zod. */
export interface Schema<Value = unknown> {
  /** Internals of zod, which read and check the value. */
  readonly _zod: { readonly output: Value }
}

/** The shapes of an operation that the service documents: schemas, with the types of the interfaces that they check. */
export function documented<Params, Body>(request: Schema<Params>, response: Schema<Body>) {
  return { documented: true, request, response } as const
}

/** What zod cannot put into JSON Schema: sizes, integers, defaults of the service. */
interface Notes {
  type?: 'integer' | 'object'
  format?: 'int64'
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
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

/** The least and the most of something. */
interface Bounds {
  readonly min?: number
  readonly max?: number
}

/** Adds an issue for a size out of bounds. zod's own checks of sizes and integers would be two percent of a bundle. */
function checkSize<Value>(
  { value, issues }: z.core.ParsePayload<Value>,
  origin: 'string' | 'array' | 'number',
  size: number,
  { min = -Infinity, max = Infinity }: Bounds,
): void {
  const issue = { origin, inclusive: true, continue: true, input: value, size } as const
  if (size < min) issues.push({ ...issue, code: 'too_small', minimum: min })
  if (size > max) issues.push({ ...issue, code: 'too_big', maximum: max })
}

/**
 * A string with bounds on its length, in code points: the service does not document its unit, and no unit gives a
 * smaller count, so a refused text is too long in any unit.
 */
export function text({ min = 0, max }: Bounds & { max: number }): z.ZodMiniString<string> {
  const schema = z.string().check((payload) => {
    const { value } = payload
    // At least half of the UTF-16 units are code points, so a text that is far too long need not be counted.
    const length = value.length > max * 2 ? value.length : Array.from(value).length
    checkSize(payload, 'string', length, { min, max })
  })
  return noted(schema, { ...(min > 0 && { minLength: min }), maxLength: max })
}

/** A list with at most `max` items. */
export function listOf<Item extends z.ZodMiniType>(item: Item, max: number): z.ZodMiniArray<Item> {
  const schema = z.array(item).check((payload) => {
    checkSize(payload, 'array', payload.value.length, { max })
  })
  return noted(schema, { maxItems: max })
}

/** An integer that a number holds exactly. */
export function integer({ min, max }: Bounds = {}): z.ZodMiniNumber<number> {
  const exact = { min: min ?? Number.MIN_SAFE_INTEGER, max: max ?? Number.MAX_SAFE_INTEGER }
  const schema = z.number().check((payload) => {
    const { value, issues } = payload
    if (Number.isInteger(value)) checkSize(payload, 'number', value, exact)
    else issues.push({ code: 'invalid_type', expected: 'int', input: value, inst: schema })
  })
  return noted(schema, {
    type: 'integer',
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
  })
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
