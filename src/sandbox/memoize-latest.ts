/**
 * Remembers the latest result: a test suite makes hundreds of sandboxes, nearly all with the same content. Sandboxes share
 * the result, so it must not be changed.
 */
export function memoizeLatest<T>(create: (seed: number) => T): (seed: number) => T {
  let latest: { seed: number; value: T } | undefined
  return (seed) => {
    if (latest?.seed !== seed) latest = { seed, value: create(seed) }
    return latest.value
  }
}
