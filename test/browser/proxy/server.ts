import { SocialSearch } from '../../../src/index.ts'
import { type ProxyOptions, createProxy } from '../../../src/extensions/proxy/index.ts'
import { type SandboxServer, serveSandbox } from '../../support/sandbox.ts'
import { type Listener, type Site as Page, servePage } from '../site.ts'

/** A site whose pages use the service through a proxy, and the sandbox behind it. */
export interface Site extends Page {
  readonly sandbox: SandboxServer
  /** The client that has the key. */
  readonly backend: SocialSearch
}

/** The cookie of a logged-in user; opening the page sets it. */
const session = 'session=ada'

/** What a caller may spend, in credits. */
const callerCredits = 12

/**
 * @param script What the page at `/` runs, as a module.
 * @param between What stands between the browser and the proxy.
 */
export async function serveSite(
  script: string,
  options: Partial<ProxyOptions> = {},
  between?: (listener: Listener) => Listener,
): Promise<Site> {
  const sandbox = await serveSandbox({ limits: { perMinute: false } })
  const { baseUrl, apiKey } = sandbox
  const backend = new SocialSearch({ baseUrl, apiKey, limits: { perMinute: false } })
  const proxy = createProxy({
    client: backend,
    allow: ['microblog.search', 'professionalnet.industries.list'],
    authorize: (request) => (request.headers.get('cookie')?.includes(session) ? { id: 'ada' } : null),
    budget: callerCredits,
    ...options,
  })
  const page = await servePage(script, {
    connect: "'self'",
    headers: { 'set-cookie': `${session}; HttpOnly; SameSite=Strict; Path=/` },
    answer: (request) => (request.url.includes('/api/social/') ? proxy(request) : new Response()),
    ...(between && { between }),
  })
  const close = async () => {
    await page.close()
    await sandbox.close()
  }
  return { origin: page.origin, sandbox, backend, close }
}
