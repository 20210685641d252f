import { inBrowser } from '../../lib/browser.ts'
import { version } from '../../lib/version.ts'

/** Names this package and the runtime, such as `social-search-sdk/0.1.0 node/24`; null in browsers, which send their own name. */
export function userAgent(): string | null {
  if (inBrowser()) return null
  const { navigator } = globalThis as { navigator?: { userAgent?: string } }
  const runtime = navigator?.userAgent?.toLowerCase().replace('node.js', 'node') ?? ''
  return `social-search-sdk/${version} ${runtime}`.trim()
}
