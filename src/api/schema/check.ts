import * as z from 'zod/mini'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { count } from '../../lib/count.ts'
import { isA } from '../../lib/thrown.ts'
import { type FoundIssue, type Issue, dotPath, got } from '../issues.ts'
import { type Schema, descriptionOf } from './schema.ts'

/**
 * Lists what is wrong with a value; the list is empty if the value is valid. Callers keep their value: zod's copy lacks the
 * fields that the schema does not know.
 */
export function check(schema: Schema, value: unknown): FoundIssue[] {
  try {
    const { error } = z.safeParse(schema as z.core.$ZodType, value, { error: issueMessage })
    return error?.issues.flatMap((issue) => readIssue(schema, value, issue)) ?? []
  } catch (error) {
    if (!isA(error, RangeError)) throw error
    return [{ path: '', message: 'is too large, too deep or circular' }]
  }
}

/** The schema of the items of a list in a body; undefined if it is not documented. */
export function itemSchemaOf(body: Schema, list: string): Schema | undefined {
  if (!(body instanceof z.ZodMiniObject)) return undefined
  const field: unknown = (body.shape as Readonly<Record<string, unknown>>)[list]
  return field instanceof z.ZodMiniArray ? field.def.element : undefined
}

function readIssue(schema: Schema, value: unknown, issue: z.core.$ZodIssue): FoundIssue[] {
  const { path, message } = issue
  if (issue.code === 'unrecognized_keys') {
    const owner = path.reduce((part, key) => (part as Record<PropertyKey, unknown>)[key], value)
    // zod lists those of `Object.prototype` as well, which a program may have extended.
    const keys = issue.keys.filter((key) => Object.hasOwn(owner as object, key))
    return keys.map((key) => {
      const place = placeOf(schema, key)
      const option = place ? undefined : 'extraParams'
      return { path: dotPath([...path, key]), message: message + place, option }
    })
  }
  return [{ path: dotPath(path), message }]
}

/** Where a field belongs that stands beside its object, as `since` beside `filters`; empty if nowhere. */
function placeOf(schema: Schema, key: string): string {
  const fields = Object.entries((schema as Shaped).shape ?? {})
  const owner = fields.find(([, { def }]) => Object.hasOwn(def.innerType?.shape ?? {}, key))
  return owner ? `; pass ${owner[0]}: { ${key} }` : ''
}

/** What zod knows of an object. */
interface Shaped {
  readonly shape?: Readonly<Record<string, { readonly def: { readonly innerType?: Shaped } }>>
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  number: 'a number',
  integer: 'an integer',
}

function issueMessage(issue: z.core.$ZodRawIssue): string {
  const { input, path, inst } = issue
  if (issue.code === 'unrecognized_keys') return 'is not a known property'
  if (input === undefined && path !== undefined && path.length > 0) return 'is required'
  switch (issue.code) {
    case 'too_small':
      return sizeMessage('at least', issue.minimum, issue)
    case 'too_big':
      return sizeMessage('at most', issue.maximum, issue)
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}, got ${got(input)}`
    case 'invalid_type':
      return `must be ${typeNames[(inst && descriptionOf(inst as z.core.$ZodType)?.type) ?? issue.expected]}, got ${got(input)}`
    default:
      return `is invalid, got ${got(input)}`
  }
}

function sizeMessage(
  relation: string,
  bound: number | bigint,
  { origin, size, input }: z.core.$ZodRawIssue,
): string {
  const unit = origin === 'string' ? 'character' : origin === 'array' ? 'item' : undefined
  return unit === undefined
    ? `must be ${relation} ${bound}, got ${got(input)}`
    : `must have ${relation} ${count(bound, unit)}, got ${String(size)}`
}

/** Validates a value with the caller's schema. If the schema throws, returns the value with an issue. */
export async function applySchema(
  schema: StandardSchemaV1,
  value: unknown,
): Promise<{ value: unknown; issues: Issue[] }> {
  try {
    const result = await schema['~standard'].validate(value)
    if (result.issues === undefined) return { value: result.value, issues: [] }
    const issues = result.issues.map(({ path = [], message }) => ({
      path: dotPath(path.map((segment) => (typeof segment === 'object' ? segment.key : segment))),
      message: String(message as unknown),
    }))
    return { value, issues }
  } catch {
    return { value, issues: [{ path: '', message: 'the schema threw an error' }] }
  }
}
