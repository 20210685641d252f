/** Whether this is a page. */
export function inPage(): boolean {
  return 'window' in globalThis && 'document' in globalThis
}

/** Whether timers and promises belong to the incoming request that made them, as in Cloudflare's workers. */
export function isTiedToRequests(): boolean {
  const { navigator } = globalThis as { navigator?: { userAgent?: unknown } }
  return navigator?.userAgent === 'Cloudflare-Workers'
}

/**
 * Whether this is a page or one of its workers: a place where everything in memory can be read by whoever opened it.
 * Workers of browsers are told from those of servers by the name that browsers alone go by.
 */
export function inBrowser(): boolean {
  const { navigator } = globalThis as { navigator?: { userAgent?: unknown } }
  return inPage() || String(navigator?.userAgent).startsWith('Mozilla/')
}
