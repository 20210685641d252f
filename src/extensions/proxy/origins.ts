import { creditsHeader } from '../../extend.ts'
import type { ProxySettings } from './options.ts'

type CorsSettings = Pick<ProxySettings, 'origins' | 'credentials'>

/**
 * Whether a page of an untrusted origin made the request. Browsers report the origin and pages cannot change it. A request
 * without one does not come from a browser, so it carries no other user's cookies.
 */
export function isUntrusted(request: Request, { origins }: CorsSettings): boolean {
  const origin = request.headers.get('origin')
  if (origin !== null && origins.includes(origin)) return false
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site !== 'same-origin' && site !== 'none'
  if (origin === null) return false
  // Compare hosts, not origins: behind a server that ends TLS, the request's own URL is http.
  return !URL.canParse(origin) || new URL(origin).host !== new URL(request.url).host
}

/** Headers that let a page of a trusted origin read the response. */
export function corsHeaders(
  request: Request,
  { origins, credentials }: CorsSettings,
): Record<string, string> {
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

/** Headers of the response to a preflight request. */
export function preflightHeaders(request: Request): Record<string, string> {
  const requested = request.headers.get('access-control-request-headers')
  return {
    // The request itself is refused later if its method does not exist.
    'access-control-allow-methods': request.headers.get('access-control-request-method') ?? '',
    // The proxy forwards no headers, so it can accept any.
    ...(requested !== null && { 'access-control-allow-headers': requested }),
    'access-control-max-age': '600',
  }
}
