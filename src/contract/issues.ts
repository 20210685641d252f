import * as z from 'zod/mini'
import { count } from './count.ts'

/** One thing wrong with a value, in the format of the service's own `validation_error`. */
export interface Issue {
  /** Where, as a dot-separated path such as `filters.lang`; empty for the whole value. */
  path: string
  /** What is wrong, stating the bound and the current value where that is short. */
  message: string
}

/**
 * Checks a value and describes what is wrong. The messages are made here rather than by a zod locale: locales
 * are set globally, and the caller's own zod configuration is not this package's to change.
 */
export function describeIssues(schema: z.ZodMiniType, value: unknown): Issue[] {
  let result
  try {
    result = z.safeParse(schema, value, { error: message, reportInput: true })
  } catch (error) {
    // Only a recursive shape can go so deep that the stack ends first.
    if (error instanceof RangeError) return [{ path: '', message: 'is nested too deeply, or in a circle' }]
    throw error
  }
  if (result.success) return []
  return result.error.issues.flatMap((issue) => {
    const path = dotPath(issue.path)
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        path: dotPath([...issue.path, key]),
        message: 'is not a known property',
      }))
    }
    return [{ path, message: issue.message }]
  })
}

/** Joins path segments with dots, as the service does. */
export function dotPath(segments: readonly PropertyKey[]): string {
  return segments.map(String).join('.')
}

type RawIssue = Parameters<z.core.$ZodErrorMap>[0]

function message(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined && issue.path?.length) return 'is required'
      return `must be ${expected(issue.expected)}, got ${got(issue.input)}`
    case 'too_small':
      return `must ${bound('at least', issue.minimum, issue.origin)}, got ${size(issue.input)}`
    case 'too_big':
      return `must ${bound('at most', issue.maximum, issue.origin)}, got ${size(issue.input)}`
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}, got ${got(issue.input)}`
    default:
      return 'is not of the documented form'
  }
}

const expectedNames: Record<string, string> = {
  int: 'an integer',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
}

function expected(type: string): string {
  return expectedNames[type] ?? type
}

function bound(comparison: string, limit: number | bigint, origin: string): string {
  if (origin === 'string') return `have ${comparison} ${count(limit, 'character')}`
  if (origin === 'array') return `have ${comparison} ${count(limit, 'item')}`
  return `be ${comparison} ${limit}`
}

function size(input: unknown): string {
  if (typeof input === 'string') return `${Array.from(input).length}`
  if (Array.isArray(input)) return `${input.length}`
  return got(input)
}

/** Names a value without repeating content that may be long or private. */
export function got(input: unknown): string {
  if (input === null || input === undefined) return String(input)
  if (Array.isArray(input)) return 'an array'
  if (typeof input === 'number' || typeof input === 'boolean' || typeof input === 'bigint')
    return String(input).slice(0, 32)
  if (typeof input === 'string')
    return input.length <= 32 ? JSON.stringify(input) : `${input.length} characters`
  return typeof input === 'object' ? 'an object' : `a ${typeof input}`
}
