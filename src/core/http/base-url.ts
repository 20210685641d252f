import { ConfigurationError } from '../../errors.ts'
import type { Redactor } from '../lib/redact.ts'

/**
 * Returns an absolute base URL without a trailing slash. The error for an invalid URL does not repeat it: it may be a
 * key.
 *
 * @throws {ConfigurationError}
 */
export function resolveBaseUrl(baseUrl: string, redactor: Redactor): string {
  const base = isPath(baseUrl) ? pageUrl() : undefined
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl, base)) {
    throw new ConfigurationError('baseUrl is not a URL; it must start with https://')
  }
  const url = new URL(baseUrl, base)
  // Some paths with one slash lead to another host: `/\host`, or with a tab in between.
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

/** Whether a base URL is a path on the page's origin. */
export function isPath(baseUrl: unknown): boolean {
  return typeof baseUrl === 'string' && /^\/(?!\/)/.test(baseUrl)
}

/** Whether a base URL is a path outside a page, for example when a server renders the page. */
export function lacksPage(baseUrl: unknown): boolean {
  return isPath(baseUrl) && pageLocation() === undefined
}

/** Undefined outside a page, and in a page without an origin, such as a file. */
function pageUrl(): string | undefined {
  const { href = '' } = pageLocation() ?? {}
  return /^https?:/.test(href) ? href : undefined
}

function pageLocation(): { href?: string } | undefined {
  return (globalThis as { location?: { href?: string } }).location
}

/**
 * Rejects a base URL to which no credential may be sent. A page without https may only call its own origin without a
 * credential.
 */
export function assertSafe(baseUrl: string): void {
  if (isSafe(new URL(baseUrl))) return
  throw new ConfigurationError('baseUrl is a path in a page without https; no key or token may be sent there')
}

/** Whether requests to a URL are encrypted or stay on this machine. */
export function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

/** Requests to the machine itself need no TLS. */
function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d+){3}$/.test(hostname)
  )
}
