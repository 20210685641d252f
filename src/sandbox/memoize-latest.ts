/**
 * Remembers the latest result: a test suite makes hundreds of sandboxes, nearly all with the same content. Sandboxes share
 * the result, so it must not be changed.
 */
export function memoizeLatest<Args extends readonly (string | number)[], T>(
  create: (...args: Args) => T,
): (...args: Args) => T {
  let latest: { key: string; value: T } | undefined
  return (...args) => {
    const key = JSON.stringify(args)
    if (latest?.key !== key) latest = { key, value: create(...args) }
    return latest.value
  }
}
