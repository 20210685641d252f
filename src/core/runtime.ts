/** Whether this is a page: a place where everything in memory can be read by whoever opened it. */
export function inBrowser(): boolean {
  return 'window' in globalThis && 'document' in globalThis
}

/** Whether this is Deno. */
export function inDeno(): boolean {
  return 'Deno' in globalThis
}
