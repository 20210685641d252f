/**
 * Remembers the latest results: a test suite makes hundreds of sandboxes, nearly all with the same content. Sandboxes share
 * the results, so they must not be changed.
 */
export function memoizeLatest<Args extends readonly (string | number)[], T extends object>(
  create: (...args: Args) => T,
  most = 1,
): (...args: Args) => T {
  const known = new Map<string, T>()
  return (...args) => {
    const key = JSON.stringify(args)
    if (known.size >= most && !known.has(key)) known.clear()
    const value = known.get(key) ?? create(...args)
    known.set(key, value)
    return value
  }
}
