import { type ClientOptions, SocialSearch } from '../../src/index.ts'
import { operations } from '../../src/api/operations.ts'
import {
  type ProxyUser,
  type ProxyFailure,
  type ProxyOptions,
  createProxy,
} from '../../src/extensions/proxy/index.ts'
import { type Sandbox, type SandboxOptions, createSandbox } from '../support/sandbox.ts'
import { pass, settle } from '../support/clock.ts'

export const mount = 'https://app.example/api/social'
export const searchPath = '/data/microblog/tweets/search'
export const everything = operations.map(({ id }) => id)

/** A client of a sandbox, or of a proxy before it, with separate limits. */
export function clientOf(options: Partial<ClientOptions>): SocialSearch {
  const own = { baseUrl: mount, organization: crypto.randomUUID(), limits: { perMinute: false } } as const
  return new SocialSearch({ ...own, ...options })
}

export interface Setup {
  readonly sandbox: Sandbox
  /** The client that has the key. */
  readonly backend: SocialSearch
  readonly proxy: (request: Request) => Promise<Response>
  /** The client that a page would have. */
  readonly browser: SocialSearch
  readonly failures: [error: unknown, failure: ProxyFailure][]
}

export function setUp(
  options: Partial<ProxyOptions> = {},
  more: { sandbox?: SandboxOptions; backend?: Partial<ClientOptions> } = {},
): Setup {
  const sandbox = createSandbox({ limits: { perMinute: false }, ...more.sandbox })
  const { baseUrl, apiKey, fetch } = sandbox
  const backend = clientOf({ baseUrl, apiKey, fetch, ...more.backend })
  const failures: Setup['failures'] = []
  const proxy = createProxy<ProxyUser>({
    client: backend,
    allow: everything,
    authorize: () => ({ id: 'ada' }),
    onError: (...failure) => failures.push(failure),
    ...options,
  })
  return { sandbox, backend, proxy, browser: clientOf({ auth: false, fetch: proxy }), failures }
}

/** What a page asks for. */
interface Asked {
  path?: string
  method?: string
  headers?: Record<string, string>
  body?: BodyInit | null
  signal?: AbortSignal
}

/** A search as a page sends it, or a changed one. */
export function post(proxy: Setup['proxy'], asked: Asked = {}): Promise<Response> {
  const { path = searchPath, method = 'POST', headers, body = '{"query":"coffee"}', signal } = asked
  const init = {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(signal && { signal }),
  }
  return proxy(new Request(mount + path, { ...init, ...(method !== 'GET' && { body, duplex: 'half' }) }))
}

/** The response to a caller who leaves after 100 ms, and how much longer it took. `atLeave` runs just before. */
export async function leave(
  proxy: Setup['proxy'],
  request: Parameters<typeof post>[1] = {},
  atLeave?: () => void,
): Promise<{ status: number | undefined; ms: number }> {
  const abort = new AbortController()
  const answer = post(proxy, { ...request, signal: abort.signal })
  await pass(100)
  atLeave?.()
  abort.abort()
  const { value, ms } = await settle(answer)
  return { status: value?.status, ms }
}

/** Origins of other pages; only the friend's may use a proxy with `cors`. */
export const evil = 'https://evil.example'
export const friend = 'https://friend.example'
export const cors = { origins: [friend] }

export const headersOf = (response: Response) => Object.fromEntries(response.headers)
