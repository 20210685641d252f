import { creditsHeader } from '../core/http/proxy-protocol.ts'
import type { ProxySettings } from './options.ts'

type Trusted = Pick<ProxySettings, 'origins' | 'credentials'>

/**
 * Whether a page of another origin has made a request. Browsers say so, and do not let pages say otherwise; what says
 * nothing is no browser, and has no cookies of somebody else.
 */
export function isForeign(request: Request, { origins }: Trusted): boolean {
  const origin = request.headers.get('origin')
  if (origin !== null && origins.includes(origin)) return false
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site !== 'same-origin' && site !== 'none'
  if (origin === null) return false
  // Hosts, not origins: behind a server that ends TLS, a request's own URL says http.
  return !URL.canParse(origin) || new URL(origin).host !== new URL(request.url).host
}

/** Headers that let a page of a trusted origin read an answer. */
export function corsHeaders(request: Request, { origins, credentials }: Trusted): Record<string, string> {
  if (origins.length === 0) return {}
  const origin = request.headers.get('origin')
  if (origin === null || !origins.includes(origin)) return { vary: 'origin' }
  return {
    vary: 'origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': `retry-after, ${creditsHeader}`,
    ...(credentials && { 'access-control-allow-credentials': 'true' }),
  }
}

/** Headers that answer the question of a browser whether a page may send something. */
export function preflightHeaders(request: Request): Record<string, string> {
  const asked = request.headers.get('access-control-request-headers')
  return {
    // The answer to the request itself says which methods there are.
    'access-control-allow-methods': request.headers.get('access-control-request-method') ?? '',
    // Whatever headers come, none is passed on.
    ...(asked !== null && { 'access-control-allow-headers': asked }),
    'access-control-max-age': '600',
  }
}
