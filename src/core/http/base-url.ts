import { ConfigurationError } from '../../errors/index.ts'
import type { Redactor } from '../../lib/redact.ts'

/**
 * Returns an absolute base URL without a trailing slash. The error for an invalid URL does not repeat it: it may be a
 * key.
 *
 * @throws {ConfigurationError}
 */
export function resolveBaseUrl(baseUrl: string, redactor: Redactor): string {
  const page = isPath(baseUrl) ? pageUrl() : undefined
  // A page such as a file has no origin.
  const base = /^https?:/.test(page ?? '') ? page : undefined
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
  return isPath(baseUrl) && pageUrl() === undefined
}

function pageUrl(): string | undefined {
  return (globalThis as { location?: { href: string } }).location?.href
}

/** Whether requests to a URL are encrypted or stay on this machine. */
export function isSafe({ protocol, hostname }: URL): boolean {
  const isLoopback = /^((.*\.)?localhost|\[::1\]|127(\.\d+){3})$/.test(hostname)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback)
}
