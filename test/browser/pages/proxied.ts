import { SocialSearch } from 'social-search-sdk'
import { type PageReport, usePage } from '../proxy/page.ts'

const violations: string[] = []
addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  violations.push(`${violatedDirective} ${blockedURI}`),
)

const proxied = {
  violations,
  /** The page knows only the path of a proxy on its own origin. */
  run: (): Promise<PageReport> => usePage(new SocialSearch({ baseUrl: '/api/social' })),
}
export type Proxied = typeof proxied
Object.assign(globalThis, { proxied })
