import { ConfigurationError } from '../../errors/index.ts'
import type { Redactor } from '../../lib/redactor.ts'

/**
 * Returns an absolute base URL without a trailing slash, the same for each way to spell it: limits, budgets, logins and stored
 * answers belong to an address. The error for an invalid URL does not repeat it: it may be a
 * key.
 *
 * @throws {ConfigurationError}
 */
export function resolveBaseUrl(baseUrl: string, redactor: Redactor): string {
  const page = isPath(baseUrl) ? pageUrl() : undefined
  // A page such as a file has no origin.
  const base = /^https?:/.test(page ?? '') ? page : undefined
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl, base)) {
    const fault = baseUrl ? 'not a URL' : 'missing'
    throw new ConfigurationError(`baseUrl is ${fault}; pass the service's https:// URL`)
  }
  // It resolves `..`, and spells the host and the port one way.
  const url = new URL(baseUrl, base)
  // Names of hosts may end with the dot of the root.
  url.hostname = url.hostname.replace(/\.$/, '')
  // Some paths with one slash lead to another host: `/\host`, or with a tab in between.
  if (base !== undefined && url.origin !== new URL(base).origin) {
    throw new ConfigurationError('baseUrl leads to another origin')
  }
  if (base === undefined && !isSafe(url)) {
    const given = redactor.text(`${url.protocol}//${url.host}`)
    throw new ConfigurationError(`baseUrl must be https unless it is a loopback address, got ${given}`)
  }
  if (url.username || url.password || /[?#]/.test(baseUrl))
    throw new ConfigurationError('baseUrl must have no user name, password, query or fragment')
  const path = url.pathname.replaceAll(/%[0-9a-f]{2}/gi, spelledOnce).replaceAll(/\/{2,}/g, '/')
  return `${url.origin}${path}`.replace(/\/$/, '')
}

/** A character of a path that needs no code is written without one, and codes are in upper case. */
function spelledOnce(code: string): string {
  const character = String.fromCharCode(parseInt(code.slice(1), 16))
  return /^[\w.~-]$/.test(character) ? character : code.toUpperCase()
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
