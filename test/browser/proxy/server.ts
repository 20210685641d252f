import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { SocialSearch } from '../../../src/index.ts'
import { type ProxyOptions, createProxy } from '../../../src/extensions/proxy/index.ts'
import { type SandboxServer, serveSandbox } from '../../support/sandbox.ts'
import { toNodeListener } from '../../../src/extensions/node/index.ts'
import { closed, listening } from '../../support/listening.ts'

/** A site whose pages use the service through a proxy, and the sandbox behind it. */
export interface Site {
  /** The page's origin. */
  readonly origin: string
  readonly sandbox: SandboxServer
  /** The client that has the key. */
  readonly backend: SocialSearch
  close(): Promise<void>
}

/** The cookie of a logged-in user; opening the page sets it. */
export const session = 'session=ada'

/** What a caller may spend, in credits. */
const callerCredits = 12

const policy = "default-src 'none'; img-src 'self'; script-src 'self'; connect-src 'self'"

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void

/**
 * @param script What the page at `/` runs, as a module.
 * @param between What stands between the browser and the proxy.
 */
export async function serveSite(
  script: string,
  options: Partial<ProxyOptions> = {},
  between: (listener: Listener) => Listener = (listener) => listener,
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
  const server = createServer(
    between(
      toNodeListener((request) => {
        const { pathname } = new URL(request.url)
        if (pathname.startsWith('/api/social/')) return proxy(request)
        if (pathname === '/page.js') return file('text/javascript', script)
        return pathname === '/'
          ? file(
              'text/html',
              '<!doctype html><title>Site</title><script type="module" src="/page.js"></script>',
            )
          : new Response(null, { status: 404 })
      }),
    ),
  )
  return {
    origin: await listening(server),
    sandbox,
    backend,
    close: async () => {
      await closed(server)
      await sandbox.close()
    },
  }
}

function file(type: string, text: string): Response {
  const headers = {
    'content-type': type,
    'set-cookie': `${session}; HttpOnly; SameSite=Strict; Path=/`,
    'content-security-policy': policy,
  }
  return new Response(text, { headers })
}
