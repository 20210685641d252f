/** One thing wrong with a value, in the format of the service's own `validation_error`. */
export interface Issue {
  /** Where, as a dot-separated path such as `filters.lang`; empty for the whole value. */
  path: string
  /** What is wrong, with the bound and the current value if it is short. */
  message: string
}

/** An issue of params, before it is told. */
export interface FoundIssue extends Issue {
  /** The option that sends them nevertheless. */
  option?: 'extraParams' | undefined
}

/**
 * Maximum number of issues listed, and characters of each. A request of one megabyte may have sixty thousand issues.
 */
export const maxIssues = 100
const maxPathLength = 200
export const maxMessageLength = 500

/**
 * The first issues, each cut to a bounded length, since they appear in responses and logs.
 *
 * @param clean Removes secrets from a text, before the cut could leave a part of one.
 */
export function firstIssues(issues: readonly Issue[], clean = (text: string) => text): Issue[] {
  const first = issues.slice(0, maxIssues + 1).map(({ path, message }) => ({
    path: cut(clean(path), maxPathLength),
    message: cut(clean(message), maxMessageLength),
  }))
  if (issues.length > first.length) first[maxIssues] = { path: '', message: 'has further issues' }
  return first
}

function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

/** A text that a message can hold. */
export function printable(text: string, maxLength: number): string {
  return cut(text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' '), maxLength)
}

/** Joins path segments with dots, as the service does. */
export function dotPath(segments: readonly PropertyKey[]): string {
  return segments.map(String).join('.')
}

/** Describes a value without its content, which may be long or private. */
export function got(input: unknown): string {
  if (input === null || input === undefined) return String(input)
  if (Array.isArray(input)) return 'an array'
  if (typeof input === 'number' || typeof input === 'boolean' || typeof input === 'bigint')
    return String(input).slice(0, 32)
  if (typeof input === 'string')
    return input.length <= 32 ? JSON.stringify(input) : `${input.length} characters`
  return typeof input === 'object' ? 'an object' : `a ${typeof input}`
}

/**
 * The issues in one line.
 *
 * @param whole Name of the whole value, for an issue with an empty path.
 */
export function issuesText(issues: readonly Issue[], whole = ''): string {
  const shown = issues.slice(0, 3).map(({ path, message }) => `${path || whole} ${message}`.trimStart())
  const others = issues.length - shown.length
  if (others > 0) shown.push(`and ${issues.length > maxIssues ? 'many' : others} more`)
  return shown.join('; ')
}
