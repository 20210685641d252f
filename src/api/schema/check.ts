import * as z from 'zod/mini'
import { count } from '../../lib/count.ts'
import { type Issue, dotPath, got, maxIssues } from '../issues.ts'
import type { Schema } from './schema.ts'

/**
 * Lists what is wrong with a value; the list is empty if the value is valid. Callers keep their value: zod's copy lacks the
 * fields that the schema does not know.
 *
 * @param most Maximum number of issues; one more counts the rest.
 */
export function check(schema: Schema, value: unknown, most = maxIssues): Issue[] {
  try {
    const { error } = z.safeParse(schema as z.core.$ZodType, value, { error: messageOf })
    return error ? listed(error.issues, most) : []
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return [{ path: '', message: 'is too large, too deep or circular' }]
  }
}

/** The schema of the items of a list in a body; undefined if it is not documented. */
export function itemSchemaOf(body: Schema, list: string): Schema | undefined {
  if (!(body instanceof z.ZodMiniObject)) return undefined
  const field: unknown = (body.shape as Readonly<Record<string, unknown>>)[list]
  return field instanceof z.ZodMiniArray ? field.def.element : undefined
}

function listed(found: readonly z.core.$ZodIssue[], most: number): Issue[] {
  const issues: Issue[] = []
  let others = 0
  const report = (path: readonly PropertyKey[], message: string): void => {
    if (issues.length < most) issues.push({ path: dotPath(path), message })
    else others++
  }
  for (const [index, issue] of found.entries()) {
    const { path, message } = issue
    const next = found[index + 1]
    if (issue.code === 'unrecognized_keys') for (const key of issue.keys) report([...path, key], message)
    // A number outside of two bounds has an issue for each; the last bound is the narrower one.
    else if (next === undefined || dotPath(next.path) !== dotPath(path)) report(path, message)
  }
  if (others > 0) issues.push({ path: '', message: `has ${count(others, 'further issue')}` })
  return issues
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  number: 'a number',
  int: 'an integer',
}

/** Explains why a value is invalid. */
function messageOf(issue: z.core.$ZodRawIssue): string {
  const { input, path, inst } = issue
  if (issue.code === 'unrecognized_keys') return 'is not a known property'
  if (input === undefined && path !== undefined && path.length > 0) return 'is required'
  switch (issue.code) {
    case 'too_small':
      return `must ${boundOf('at least', issue.minimum, issue)}`
    case 'too_big':
      return `must ${boundOf('at most', issue.maximum, issue)}`
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}, got ${got(input)}`
    case 'invalid_type':
      return `must be ${typeNames[inst instanceof z.ZodMiniNumberFormat ? 'int' : issue.expected]}, got ${got(input)}`
    default:
      return `is invalid, got ${got(input)}`
  }
}

function boundOf(relation: string, bound: number | bigint, { input, length }: z.core.$ZodRawIssue): string {
  if (typeof input === 'string') return `have ${relation} ${count(bound, 'character')}, got ${String(length)}`
  if (Array.isArray(input)) return `have ${relation} ${count(bound, 'item')}, got ${input.length}`
  return `be ${relation} ${bound}, got ${got(input)}`
}
