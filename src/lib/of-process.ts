/**
 * Something that belongs to the process, not to a copy of this package: bundlers may put several copies in one process. It is made when it
 * is first needed.
 *
 * @param name Ends with a version, which changes with the shape of what is kept.
 */
export function ofProcess<T extends object>(name: string, make: () => T): T {
  const key = Symbol.for(`social-search-sdk ${name}`)
  const kept = (globalThis as Record<symbol, unknown>)[key]
  if (kept !== undefined) return kept as T
  const made = make()
  Object.defineProperty(globalThis, key, { value: made, configurable: true })
  return made
}
