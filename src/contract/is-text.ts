/** Whether a value is a string of `min` to `max` code points. */
export function isText(value: unknown, min: number, max: number): boolean {
  if (typeof value !== 'string') return false
  const length = codePoints(value, max)
  return length >= min && length <= max
}

/** Exact only up to the bound: counting the rest of a huge string would be wasted work. */
export function codePoints(value: string, bound: number): number {
  if (value.length <= bound || value.length > bound * 2) return value.length
  return Array.from(value).length
}
