import { type Issue, got } from './issues.ts'

/** The ids that an operation accepts in its path. */
export interface PathId {
  /** Every id starts with it; absent if the ids are numbers. */
  readonly prefix?: string
  /** Returns what is wrong with an id, or an empty list. */
  readonly check: (id: unknown) => Issue[]
}

/** Ids that are text with a prefix. Their other characters are not documented. */
export function prefixedId(prefix: string) {
  return { prefix, check: (id: unknown) => describeId(id, prefix).map((message) => ({ path: '', message })) }
}

/** Characters that would change the path, or hide in it. The check refuses them instead of escaping them. */
const unsafe = /[/\\%?#\s\p{Cc}]|\.\./u

function describeId(id: unknown, prefix: string): string[] {
  if (typeof id !== 'string') return [`must be a string, got ${id === null ? 'null' : typeof id}`]
  if (!id.startsWith(prefix) || id.length === prefix.length)
    return [`must start with ${prefix}, with more after it, got ${got(id)}`]
  if (!id.isWellFormed()) return ['must be well-formed Unicode']
  return unsafe.test(id) ? [`must not contain / \\ % ? # .. or white space, got ${got(id)}`] : []
}
