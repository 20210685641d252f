import { inBrowser } from '../../lib/browser.ts'
import { version } from '../../lib/version.ts'

/** Names this package and the runtime, such as `social-search-sdk/0.1.0 node/24`. Browsers send their own name. */
export function userAgent(): { 'user-agent'?: string } {
  if (inBrowser()) return {}
  const { navigator } = globalThis as { navigator?: { userAgent?: string } }
  const runtime = navigator?.userAgent?.toLowerCase().replace('node.js', 'node') ?? ''
  return { 'user-agent': `social-search-sdk/${version} ${runtime}`.trim() }
}
