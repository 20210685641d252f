import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  BudgetUnavailableError,
  type ClientOptions,
  type SocialSearch,
  type SocialSearchError,
} from '../../src/index.ts'
import { TokenStoreError } from '../../src/errors/index.ts'
import type { Fault, Sandbox } from '../../src/extensions/sandbox/index.ts'
import { settle, virtualTime } from '../support/clock.ts'
import { type Setup, clientOf, setUp } from './setup.ts'
import { miscounts } from '../support/ledger.ts'

virtualTime()
afterEach(() => {
  vi.restoreAllMocks()
})

type Call = (client: SocialSearch) => PromiseLike<unknown>
const search: Call = (client) => client.microblog.search({ query: 'coffee' })

const fields = [
  ...['name', 'message', 'code', 'charged', 'requestId', 'operation', 'issues', 'retryAfter'],
  ...['requiredScopes', 'status', 'phase', 'body', 'gateway', 'proxy'],
]

/** What a caller may learn from an error and from the ledger. */
async function learn(client: SocialSearch, sandbox: Sandbox, call: Call): Promise<object> {
  const { error } = await settle(call(client))
  const { spent, uncertain } = client.credits
  expect(miscounts(client.credits, sandbox.ledger.spent)).toEqual([])
  const facts = fields.map((name) => [name, (error as Record<string, unknown>)[name]])
  return { ...Object.fromEntries(facts), spent, uncertain, sent: sandbox.requests.length }
}

const envelope = (code: string, more: object = {}) => ({ requestId: 'req_7', error: { code, ...more } })
const many = (fault: Fault): Fault => ({ ...fault, times: Infinity })

const badFilter = { message: 'no', issues: [{ path: 'filters.lang', message: 'bad' }] }
const comments: Call = ({ professionalnet }) =>
  professionalnet.posts.comments({ postUrl: 'https://x.example/1' })
const reactions: Call = ({ professionalnet }) => professionalnet.posts.reactions({ postUrl: 'x' })
const oddComments = { requestId: 'req_9', comments: [{ text: 'x' }], meta: { creditsCharged: 1 } }

const met: [name: string, fault: Fault, call?: Call][] = [
  ['ValidationError', { status: 400, body: envelope('validation_error', badFilter) }],
  ['NotFoundError', { status: 404 }, (client) => client.mentions.get('men_x')],
  ['RateLimitError', { status: 429, retryAfter: 100 }],
  ['UpstreamError', many({ status: 502 })],
  ['ServiceUnavailableError', many({ status: 503, retryAfter: 1 })],
  ['ApiError', { status: 500 }],
  ['ApiError', { status: 418, body: envelope('teapot', { message: 'short and stout' }) }],
  ['ApiError', { status: 504, body: envelope('timeout', { message: 'too slow' }) }],
  ['ApiError', { status: 409, body: envelope('closed') }],
  ['UpstreamError', { status: 502, body: '<h1>Bad gateway</h1>' }],
  ['ConnectionError', { reset: 'after' }],
  ['ConnectionError', { reset: 'before' }],
  ['ConnectionError', { cut: 'reset' }],
  ['ConnectionError', { cut: 'reset' }, reactions],
  ['TimeoutError', { cut: 'stall' }],
  ['RedirectError', { status: 307, headers: { location: 'https://evil.example/' } }],
  ['InvalidResponseError', { body: { requestId: 'req_8', posts: 'none', meta: {} } }],
  ['InvalidResponseError', { body: '<p>hello</p>' }],
  ['InvalidResponseError', { status: 204 }],
  ['InvalidResponseError', { status: 206, body: envelope('x') }],
  ['InvalidResponseError', { status: 200, body: oddComments }, comments],
]

/** Errors of the backend's own client, as a page gets them. */
const ofProxy: Record<string, object> = {
  ConnectionError: {
    proxy: undefined,
    message: expect.stringContaining('between the proxy and the service'),
  },
  TimeoutError: { proxy: undefined, message: expect.stringContaining('the `deadline` of 25000 ms') },
  RedirectError: { proxy: undefined, status: undefined },
  InvalidResponseError: { proxy: undefined },
}

/** What a page gets of the answer of a gateway, which may name internal hosts. */
const ofGateway = {
  message: expect.stringContaining('a proxy may have answered 502. You may have been charged 2 credits'),
}

describe('an error through createProxy()', () => {
  it.each(met.map(([name, fault, call = search], i) => [i, name, fault, call] as const))(
    '%i: %s has the same fields as without a proxy but for those of its network, and causes no further request: %j',
    async (_, name, fault, call) => {
      const direct = setUp()
      direct.sandbox.inject(fault)
      const expected = await learn(direct.backend, direct.sandbox, call)
      const { browser, sandbox, failures } = setUp()
      sandbox.inject(fault)
      const learnt = await learn(browser, sandbox, call)
      expect(expected).toMatchObject({ name })
      // The proxy adds an id if the service sent none.
      const { requestId = expect.stringMatching(/^proxy_/) } = expected as SocialSearchError
      const isPassedOn = name === 'InvalidResponseError'
      expect(learnt).toEqual({
        ...expected,
        requestId: isPassedOn ? (expected as SocialSearchError).requestId : requestId,
        ...('gateway' in expected && expected.gateway === true && ofGateway),
        gateway: undefined,
        proxy: true,
        ...ofProxy[name],
      })
      expect(failures).toMatchObject([[{ name }, { operation: (expected as SocialSearchError).operation }]])
    },
  )

  it.each([{ retryAfter: 0 }, { body: envelope('rate_limited') }])(
    'is a RateLimitError that the page does not retry after the backend did, without an announced wait: %j',
    async (fault) => {
      vi.spyOn(Math, 'random').mockReturnValue(0)
      const { browser, sandbox } = setUp()
      sandbox.inject(many({ status: 429, ...fault }))
      const { error } = await settle(search(browser))
      expect(error).toMatchObject({ name: 'RateLimitError', charged: 'no', attempts: { length: 1 } })
      expect(sandbox.requests).toHaveLength(5)
    },
  )

  it('is proxy_closed when the client of the proxy is closed', async () => {
    const { backend, browser, sandbox } = setUp()
    await backend.close()
    expect((await settle(search(browser))).error).toMatchObject({ code: 'proxy_closed', charged: 'no' })
    expect(sandbox.requests).toEqual([])
  })

  it('is uncertain when code of the user fails between two attempts of the backend', async () => {
    const ended = { settle: () => {} }
    const reserve = vi.fn().mockReturnValueOnce(ended).mockRejectedValue(new Error(secret))
    const { browser, sandbox } = setUp({}, { backend: { budget: { reserve }, retry: { unknown: true } } })
    sandbox.inject({ reset: 'after' })
    const { error } = await settle(search(browser))
    expect(error).toMatchObject({ code: 'internal_error', charged: 'unknown' })
    expect(browser.credits).toMatchObject({ spent: 0, uncertain: sandbox.ledger.spent })
  })

  const html = '<h1>nginx at db-7.internal</h1>'
  it.each([
    [undefined, 'connection', () => Promise.reject(new TypeError('cannot connect to db-7.internal'))],
    [504, 'http_504', () => Promise.resolve(new Response(html, { status: 504 }))],
    [505, 'http_505', () => Promise.resolve(Response.json({ requestId: 'db-7.internal' }, { status: 505 }))],
  ])(
    'does not name the servers behind the proxy when the network or a gateway fails: status %s',
    async (status, code, fetch) => {
      const { error } = await settle(search(setUp({}, { backend: { fetch } }).browser))
      expect(error).toMatchObject({ code, charged: 'unknown', ...(status && { status }) })
      expect(inspect(error, { depth: null })).not.toContain('db-7')
    },
  )

  const secret = 'vault at 10.0.0.7 is sealed'
  const noStore = () => Promise.reject(new TokenStoreError(secret))
  it.each<[string, Partial<ClientOptions>]>([
    ['a function for headers', { headers: () => Promise.reject(new Error(secret)) }],
    ['a budget', { budget: { reserve: () => Promise.reject(new BudgetUnavailableError(secret)) } }],
    ['a token store', { apiKey: undefined, auth: { token: noStore } }],
  ])('hides the backend’s own failure: %s', async (_, options) => {
    const { browser, failures } = setUp({}, { backend: options })
    const { error } = await settle(search(browser))
    expect(error).toMatchObject({ name: 'ApiError', status: 500, code: 'internal_error', charged: 'no' })
    expect(JSON.stringify(error)).not.toContain('10.0.0.7')
    const { requestId } = error as SocialSearchError
    expect(failures).toMatchObject([[{ message: expect.stringContaining(secret) }, { requestId }]])
  })
})

describe('the ledger of a page', () => {
  /** A client that gets the responses of the proxy with other headers. */
  const behind = (proxy: Setup['proxy'], change: (headers: Headers) => void) => {
    const fetch = async (request: Request) => {
      const response = await proxy(request)
      change(response.headers)
      return response
    }
    return clientOf({ auth: false, fetch })
  }

  it('counts the cost of all attempts', async () => {
    const { browser, backend, sandbox } = setUp({}, { backend: { retry: { unknown: true } } })
    sandbox.inject({ reset: 'after' })
    const { value } = await settle(browser.microblog.search({ query: 'coffee' }).withResponse())
    expect(value?.credits).toEqual({ spent: 2, uncertain: 2 })
    expect(browser.credits).toEqual(backend.credits)
    expect(sandbox.ledger.spent).toBe(4)
  })

  it('counts the prices of the backend', async () => {
    const { browser, sandbox } = setUp({}, { backend: { prices: { 'microblog.search': 5 } } })
    await settle(search(browser))
    sandbox.inject({ reset: 'after' })
    await settle(search(browser))
    expect(browser.credits).toMatchObject({ spent: 5, uncertain: 5 })
  })

  it('is uncertain when the proxy’s response is lost, and nothing is retried', async () => {
    const { proxy, sandbox } = setUp()
    const fetch = (request: Request) => proxy(request).then(() => Promise.reject(new TypeError('lost')))
    const lossy = clientOf({ auth: false, fetch })
    expect((await settle(search(lossy))).error).toMatchObject({ name: 'ConnectionError', charged: 'unknown' })
    expect(lossy.credits).toMatchObject({ spent: 0, uncertain: 2 })
    expect(sandbox.requests).toHaveLength(1)
  })

  it('uses the documented price when the header is missing, or the maximum in doubt', async () => {
    const { proxy, sandbox } = setUp()
    const bare = behind(proxy, (headers) => headers.delete('social-search-credits'))
    await settle(search(bare))
    sandbox.inject({ reset: 'after' })
    await settle(search(bare))
    expect(bare.credits).toMatchObject({ spent: 2, uncertain: 2 })
  })

  it('ignores an invalid header', async () => {
    const { proxy } = setUp()
    const credits = 'spent=-5, uncertain=0, charged=no'
    const forged = behind(proxy, (headers) => headers.set('social-search-credits', credits))
    await settle(search(forged))
    expect(forged.credits).toMatchObject({ spent: 2, uncertain: 0 })
  })
})
