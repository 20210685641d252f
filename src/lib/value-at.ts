/** The value at a path. Through a list, it is the list of the values in its items, but not through a list of lists. */
export function valueAt(value: unknown, names: readonly string[]): unknown {
  const [name, ...rest] = names
  if (name === undefined) return value
  if (Array.isArray(value))
    return value.map((item: unknown) => (Array.isArray(item) ? undefined : valueAt(item, names)))
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return valueAt((value as Record<string, unknown>)[name], rest)
}
