import { check } from './check.ts'
import { type Issue, got } from './issues.ts'
import { int64 } from './schemas/build.ts'

/** The ids that an operation accepts in its path: text with a prefix, or integers of 64 bits. */
export interface PathId {
  /** Each id starts with it. The characters after it are not documented. Absent if ids are integers. */
  readonly prefix?: string
}

const integerId = int64()

/** Returns what is wrong with an id, or an empty list. */
export function checkPathId({ prefix }: PathId, id: unknown): Issue[] {
  if (prefix === undefined) return check(integerId, id)
  return describeId(id, prefix).map((message) => ({ path: '', message }))
}

/** Characters that could change the path. Ids that contain one are refused, not escaped. */
const unsafe = /[/\\%?#\s\p{Cc}]|\.\./u

function describeId(id: unknown, prefix: string): string[] {
  if (typeof id !== 'string') return [`must be a string, got ${id === null ? 'null' : typeof id}`]
  if (!id.startsWith(prefix) || id.length === prefix.length)
    return [`must start with ${prefix}, with more after it, got ${got(id)}`]
  if (!id.isWellFormed()) return ['must be well-formed Unicode']
  return unsafe.test(id) ? [`must not contain / \\ % ? # .. or white space, got ${got(id)}`] : []
}
