import * as z from 'zod/mini'
import { got, maxIssues } from '../issues.ts'

/** A zod schema of this package. `social-search-sdk/schemas` exports the documented ones with the types of zod. */
export interface Schema<Value = unknown> {
  /** Internals of zod, which read and check the value. */
  readonly _zod: { readonly output: Value }
}

/** The shapes of an operation that the service documents: schemas, with the types of the interfaces that they check. */
export function documented<Params, Body>(request: Schema<Params>, response: Schema<Body>) {
  return { documented: true, request, response } as const
}

/** JSON Schema of a value without parts, where zod does not know it: sizes, integers, defaults of the service. */
interface LeafSchema {
  readonly type: 'string' | 'integer' | 'object'
  readonly enum?: readonly string[]
  readonly format?: 'int64'
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly default?: unknown
  readonly deprecated?: true
}

/** A schema that says its JSON Schema itself. What it accepts does not change. */
export function described<Type extends z.ZodMiniType>(schema: Type, json: LeafSchema): Type {
  // A copy: zod adds to it. It would also look for the schema from before a check, which it was not asked to convert.
  Object.assign(schema._zod, { toJSONSchema: () => ({ ...json }), parent: undefined })
  return schema
}

/** What a schema says of itself; undefined if zod knows it. */
export function descriptionOf(schema: z.core.$ZodType): LeafSchema | undefined {
  return schema._zod.toJSONSchema?.() as LeafSchema | undefined
}

/** An optional field without parts. @param more Its default on the service's side, or that it is deprecated. */
export function optionalWith<Type extends z.ZodMiniType>(
  schema: Type,
  more: Pick<LeafSchema, 'default' | 'deprecated'>,
): z.ZodMiniOptional<Type> {
  return described(z.optional(schema), { ...(descriptionOf(schema) as LeafSchema), ...more })
}

/** One of these texts. */
export function oneOf<const Text extends string>(texts: readonly Text[]): z.ZodMiniLiteral<Text> {
  return described(z.literal(texts), { type: 'string', enum: texts })
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
  return described(schema, { type: 'string', ...(min > 0 && { minLength: min }), maxLength: max })
}

/**
 * A list. It is read until it has more issues than an error lists: an answer of a few kilobytes, compressed, may hold millions
 * of invalid items.
 */
export function listOf<Item extends z.ZodMiniType>(item: Item, bounds: Bounds = {}): z.ZodMiniArray<Item> {
  const schema = z.array(item).check((payload) => {
    checkSize(payload, 'array', payload.value.length, bounds)
  })
  schema._zod.bag['maximum'] = bounds.max
  // It never calls zod's own, which would take its place again where a program uses all of zod.
  schema._zod.parse = (payload: z.core.ParsePayload, context) => {
    const { value, issues } = payload
    if (!Array.isArray(value)) {
      issues.push({ code: 'invalid_type', expected: 'array', input: value, inst: schema })
      return payload
    }
    const items: unknown[] = (payload.value = [])
    for (const [index, each] of (value as unknown[]).entries()) {
      const read = item._zod.run({ value: each, issues: [] }, context) as z.core.ParsePayload
      items.push(read.value)
      for (const issue of read.issues) issues.push({ ...issue, path: [index, ...(issue.path ?? [])] })
      if (issues.length > maxIssues + 1) break
    }
    return payload
  }
  return schema
}

/** An integer that a number holds exactly. */
export function integer({ min, max }: Bounds = {}): z.ZodMiniNumber<number> {
  const exact = { min: min ?? Number.MIN_SAFE_INTEGER, max: max ?? Number.MAX_SAFE_INTEGER }
  const schema = z.number().check((payload) => {
    const { value, issues } = payload
    if (Number.isInteger(value)) checkSize(payload, 'number', value, exact)
    else issues.push({ code: 'invalid_type', expected: 'int', input: value, inst: schema })
  })
  return described(schema, {
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
  return described(schema, { type: 'integer', format: 'int64' })
}
