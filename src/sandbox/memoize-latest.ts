/**
 * Remembers the latest result: a test suite makes hundreds of sandboxes, nearly all with the same content. Sandboxes share
 * the result, so it must not be changed.
 */
export function memoizeLatest<T>(
  create: (seed: number, size: number) => T,
): (seed: number, size: number) => T {
  let latest: { key: string; value: T } | undefined
  return (seed, size) => {
    const key = `${seed}/${size}`
    if (latest?.key !== key) latest = { key, value: create(seed, size) }
    return latest.value
  }
}
