/**
 * Whether this is a page or a worker of a page, where the visitor can read all memory. Only browsers have a user agent
 * that begins with `Mozilla/`.
 */
export function inBrowser(): boolean {
  const { navigator } = globalThis as { navigator?: { userAgent?: unknown } }
  const inPage = 'window' in globalThis && 'document' in globalThis
  return inPage || String(navigator?.userAgent).startsWith('Mozilla/')
}
