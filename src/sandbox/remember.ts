/**
 * Keeps what was made last: a test suite makes hundreds of sandboxes, and nearly all of them with the same content.
 * What is kept is shared between sandboxes, so nobody may change it.
 */
export function rememberLatest<T>(
  create: (seed: number, size: number) => T,
): (seed: number, size: number) => T {
  let latest: { key: string; made: T } | undefined
  return (seed, size) => {
    const key = `${seed}/${size}`
    if (latest?.key !== key) latest = { key, made: create(seed, size) }
    return latest.made
  }
}
