/** One thing wrong with a value, in the format of the service's own `validation_error`. */
export interface Issue {
  /** Where, as a dot-separated path such as `filters.lang`; empty for the whole value. */
  path: string
  /** What is wrong, stating the bound and the current value where that is short. */
  message: string
}

/** Joins path segments with dots, as the service does. */
export function dotPath(segments: readonly PropertyKey[]): string {
  return segments.map(String).join('.')
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
