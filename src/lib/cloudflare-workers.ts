/** Whether timers and promises belong to the incoming request that made them, as in Cloudflare's workers. */
export function isTiedToRequests(): boolean {
  const { navigator } = globalThis as { navigator?: { userAgent?: unknown } }
  return navigator?.userAgent === 'Cloudflare-Workers'
}
