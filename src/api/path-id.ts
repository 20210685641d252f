import * as z from 'zod/mini'
import { got } from './issues.ts'
import type { Schema } from './schema/schema.ts'

/** The ids that an operation accepts in its path. */
export interface PathId {
  /** Each id starts with it. The characters after it are not documented. Absent if ids are integers. */
  readonly prefix?: string
  readonly schema: Schema
}

export function prefixedId(prefix: string): PathId {
  const schema = z.custom<string>((id) => problemOf(id, prefix) === undefined, {
    error: ({ input }) => problemOf(input, prefix),
  })
  return { prefix, schema }
}

/** Characters that could change the path. Ids that contain one are refused, not escaped. */
const unsafe = /[/\\%?#\s\p{Cc}]|\.\./u

function problemOf(id: unknown, prefix: string): string | undefined {
  if (typeof id !== 'string') return `must be a string, got ${id === null ? 'null' : typeof id}`
  if (!id.startsWith(prefix) || id.length === prefix.length)
    return `must start with ${prefix}, with more after it, got ${got(id)}`
  if (!id.isWellFormed()) return 'must be well-formed Unicode'
  return unsafe.test(id) ? `must not contain / \\ % ? # .. or white space, got ${got(id)}` : undefined
}
