import { ConfigurationError } from '../errors.ts'

/**
 * Makes a base URL absolute, without a trailing slash, or refuses it. Where it is no URL it is not repeated: a key may
 * have ended up in its place.
 *
 * @throws {ConfigurationError}
 */
export function resolveBaseUrl(baseUrl: string): string {
  const { location } = globalThis as { location?: { href: string } }
  const base = isPath(baseUrl) ? location?.href : undefined
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl, base))
    throw new ConfigurationError('baseUrl is not a URL')
  const url = new URL(baseUrl, base)
  if (
    url.protocol !== 'https:' &&
    !(url.protocol === 'http:' && isLoopback(url.hostname)) &&
    base === undefined
  ) {
    throw new ConfigurationError(
      `baseUrl must be https unless it is a loopback address, got ${url.protocol}//${url.host}`,
    )
  }
  if (url.username !== '' || url.password !== '')
    throw new ConfigurationError('baseUrl must not hold a user name or password')
  if (url.search !== '' || url.hash !== '')
    throw new ConfigurationError('baseUrl must not have a query or a fragment')
  return url.href.replace(/\/+$/, '')
}

/** Whether a base URL is a path on the page's own origin. */
export function isPath(baseUrl: unknown): boolean {
  return typeof baseUrl === 'string' && /^\/(?!\/)/.test(baseUrl) && 'location' in globalThis
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d+){3}$/.test(hostname)
  )
}
