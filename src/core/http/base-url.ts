import { ConfigurationError } from '../../errors.ts'
import type { Redactor } from '../lib/redact.ts'

/**
 * Makes a base URL absolute, without a trailing slash, or refuses it. Where it is no URL it is not repeated: a key may
 * have ended up in its place.
 *
 * @throws {ConfigurationError}
 */
export function resolveBaseUrl(baseUrl: string, redactor: Redactor): string {
  const base = isPath(baseUrl) ? pageUrl() : undefined
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl, base)) {
    throw new ConfigurationError('baseUrl is not a URL; it must start with https://')
  }
  const url = new URL(baseUrl, base)
  // Some paths that start with one slash lead elsewhere all the same: `/\host`, or with a tab in between.
  if (base !== undefined && url.origin !== new URL(base).origin) {
    throw new ConfigurationError('baseUrl leads to another origin')
  }
  if (base === undefined && !isSafe(url)) {
    const given = redactor.text(`${url.protocol}//${url.host}`)
    throw new ConfigurationError(`baseUrl must be https unless it is a loopback address, got ${given}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new ConfigurationError('baseUrl must not hold a user name or password')
  }
  if (/[?#]/.test(baseUrl)) throw new ConfigurationError('baseUrl must not have a query or a fragment')
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

/** Whether a base URL is a path, which stands for one on the page's own origin. */
export function isPath(baseUrl: unknown): boolean {
  return typeof baseUrl === 'string' && /^\/(?!\/)/.test(baseUrl)
}

/** Whether a base URL is a path outside of a page: on a server that renders the page, for example. */
export function lacksPage(baseUrl: unknown): boolean {
  return isPath(baseUrl) && pageLocation() === undefined
}

/** Undefined where there is no page, or none that has an origin: one from a file, say. */
function pageUrl(): string | undefined {
  const { href = '' } = pageLocation() ?? {}
  return /^https?:/.test(href) ? href : undefined
}

function pageLocation(): { href?: string } | undefined {
  return (globalThis as { location?: { href?: string } }).location
}

/**
 * Rejects a base URL to which no credential may be sent. A page without https may call its own origin, but
 * only without a credential.
 */
export function assertSafe(baseUrl: string): void {
  if (isSafe(new URL(baseUrl))) return
  throw new ConfigurationError('baseUrl is a path of a page that is not https; it gets no key or token')
}

/** Whether nobody on the network can read what is sent to a URL. */
export function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

/** Whether a host is this machine itself; requests to it need no TLS. */
function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d+){3}$/.test(hostname)
  )
}
