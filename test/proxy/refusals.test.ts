import { describe, expect, it } from 'vitest'
import { AuthenticationError, CreditBudget } from '../../src/index.ts'
import { type ProxyOptions, createProxy } from '../../src/extensions/proxy/index.ts'
import { settle, virtualTime } from '../support/clock.ts'
import { cors, everything, evil, friend, headersOf, mount, post, setUp } from './setup.ts'

virtualTime()

type Row = [
  what: string,
  options: Partial<ProxyOptions>,
  request: Parameters<typeof post>[1],
  headers?: object,
]

const fails = (error: Error) => () => Promise.reject(error)
const ofService = new AuthenticationError({ status: 401, code: 'unauthorized', message: '10.0.0.7' })
const reading = async (request: Request) => ({ id: await request.text() })
const sister = { origin: 'https://other.app.example', 'sec-fetch-site': 'same-site' }
const broken = new ReadableStream({ pull: (body) => body.error(new TypeError('terminated by 10.0.0.7')) })
const deep = `{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}`
const posts = '/data/professionalnet/posts'
const reactions = { path: `${posts}/reactions`, body: '{"postUrl":"x"}' }
const comments = { path: `${posts}/comments`, body: '{"postUrl":"x","maxComments":101}' }
const poor = { id: 'ada', budget: new CreditBudget(1) }

const refused: Record<string, Row[]> = {
  '404 not_found': [
    ['an unknown path', {}, { path: '/data/microblog' }],
    ['an id without its prefix', {}, { path: '/mentions/1', method: 'GET' }],
  ],
  '403 operation_not_allowed': [
    [
      'an operation that is not allowed, before it checks the method',
      { allow: ['technews.search'], authorize: fails(new Error('must not be asked')) },
      { method: 'PUT', headers: { 'content-type': 'text/plain' } },
    ],
  ],
  '405 method_not_allowed': [
    ['a method that the operation does not have', {}, { method: 'GET' }, { allow: 'POST' }],
  ],
  '403 origin_not_allowed': [
    ['a forged origin', {}, { headers: { origin: evil } }],
    ['an opaque origin', {}, { headers: { origin: 'null' } }],
    ['an untrusted origin', { cors }, { headers: { origin: `${friend}.evil.example` } }],
    ['a page of another site that hides its origin', {}, { headers: { 'sec-fetch-site': 'cross-site' } }],
    ['a page of another host of the same site', {}, { headers: sister }],
  ],
  '415 unsupported_media_type': [
    ['content types of forms', {}, { headers: { 'content-type': 'text/plain; x=application/json' } }],
  ],
  '401 unauthorized': [
    ['a caller who is not logged in', { authorize: () => null }, {}],
    ['a caller when authorize returns undefined', { authorize: () => undefined }, {}],
  ],
  '403 forbidden': [['a caller without permission', { authorize: () => false }, {}]],
  '500 internal_error': [
    ['any caller when authorize fails', { authorize: fails(new Error('no database at 10.0.0.7')) }, {}],
    ['any caller when authorize throws an error of the service’s kind', { authorize: fails(ofService) }, {}],
    ['any caller when authorize returns an invalid one', { authorize: () => true as never }, {}],
    ['a caller with an empty id, which all would share', { authorize: () => ({ id: '' }) }, {}],
    ['any caller when authorize reads the body', { authorize: reading }, {}],
    ['a caller for whom the function has no budget', { budget: () => undefined as never }, {}],
  ],
  '413 payload_too_large': [['a body over 1 MiB', {}, { body: `{"query":"${'x'.repeat(2 ** 20)}"}` }]],
  '400 validation_error': [
    ['an id that changes the path', {}, { path: '/mentions/men_..%2f..%2forganization', method: 'GET' }],
    ['a body that is not JSON', {}, { body: '{' }],
    ['a body in another encoding than UTF-8', {}, { body: Buffer.from('{"query":"café"}', 'latin1') }],
    ['a body that is a text', {}, { body: '"too large"' }],
    ['a body that breaks off', {}, { body: broken }],
    ['no body', {}, { body: null }],
    ['a body that is a list', {}, { body: '[]' }],
    ['a body that is nested too deeply', {}, { path: '/data/technews/search', body: deep }],
    [
      'a body whose id would be rounded',
      {},
      { path: `${posts}/reactions`, body: '{"id":1796123456789012345}' },
    ],
    ['params outside the documented bounds', {}, { body: '{"query":""}' }],
  ],
  '402 credit_budget': [
    ['a caller without credits', { budget: 1 }, {}],
    ['a caller with fewer credits than possible items', { budget: 10, expectedItems: 11 }, reactions],
    ['a caller who asks for more comments than it can pay for', { budget: 100, expectedItems: 11 }, comments],
    ['a caller whose own budget is spent', { budget: 100, authorize: () => poor }, {}],
  ],
}

describe.each(Object.entries(refused))('createProxy() refuses with %s', (answer, rows) => {
  it.each(rows)('%s, in the service’s format and free of charge', async (_, options, request, headers) => {
    const { proxy, sandbox, backend } = setUp(options)
    const { value: response } = await settle(post(proxy, request))
    const { requestId, error } = (await response!.json()) as { requestId: string; error: { code: string } }
    expect(`${response!.status} ${error.code}`).toBe(answer)
    expect(requestId).toMatch(/^proxy_[a-z0-9]{20}$/)
    expect(error).toMatchObject({ message: expect.stringMatching(/\w/), charged: 'no' })
    expect(JSON.stringify(error)).not.toContain('10.0.0.7')
    const common = { 'content-type': 'application/json', 'cache-control': 'no-store' }
    expect(headersOf(response!)).toMatchObject({ ...common, ...headers })
    expect(response!.headers.has('access-control-allow-origin')).toBe(false)
    expect(sandbox.requests).toEqual([])
    expect(sandbox.ledger.spent).toBe(0)
    expect(backend.credits).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
  })
})

describe('createProxy() refuses', () => {
  it.each([
    ['a field that it does not know', { body: '{"query":"a","minimumViewsCount":1}' }],
    ['reactions', { path: '/data/professionalnet/posts/reactions', body: '{"postUrl":"x"}' }],
  ])('%s without advice that only its operator could follow', async (_, request) => {
    const { value } = await settle(post(setUp({ budget: 100 }).proxy, request))
    expect(await value!.text()).not.toMatch(/extraParams|expectedItems/)
  })

  it.each([
    ['has 60,000 unknown fields', Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`k${i}`, 1]))],
    ['has an unknown field with a name of 600 kB', { ['k'.repeat(600_000)]: 1 }],
  ])('a body in less than 10 kB when it %s', async (_, params) => {
    const { proxy } = setUp()
    const response = await post(proxy, { body: JSON.stringify(params) })
    expect(response.status).toBe(400)
    expect((await response.text()).length).toBeLessThan(10_000)
  })

  it.each<[object, RegExp]>([
    [{ allow: ['microblog.serach'] }, /allow names "microblog.serach", which is not an operation/],
    [{ allow: [] }, /allow must name at least one operation/],
    [{ allow: ['planets.create'] }, /which is not an operation/],
    [{ authorize: undefined }, /^authorize must be a function/],
    [{ client: undefined }, /client must be an object, got undefined/],
    [{ client: {} }, /expected a transport of createTransport\(\), got an object/],
    [{ budget: -1 }, /a credit budget must be a number of at least 0, got -1/],
    [{ deadline: 0 }, /deadline must be a number of milliseconds/],
    [{ cors: { origins: ['*'] } }, /exact origins such as https:\/\/app.example.com, got "\*"/],
    [{ cors: { origins: ['null'] } }, /exact origins/],
    [{ cors: { origins: ['https://a.example/'] } }, /exact origins/],
    [{ cors: { origins: ['https://*.example'] } }, /exact origins/],
    [{ cors: { origins: ['https://a.example:443'] } }, /exact origins/],
    [{ cors: { origins: ['chrome-extension://*'] } }, /exact origins/],
    [{ cors: { origins: ['capacitor://localhost/app'] } }, /exact origins/],
    [{ cors: { origins: ['file://'] } }, /exact origins/],
    [{ cors: { origins: [friend], credentials: 'include' } }, /cors.credentials must be true or false/],
    [{ allowed: [] }, /unknown option allowed; expected one of /],
  ])('options that cannot work: %j', (options, message) => {
    expect(() => setUp(options)).toThrow(message)
  })
})

describe('createProxy()', () => {
  it('serves a transport as well as a client, and any type of caller', async () => {
    const { backend } = setUp()
    const proxy = createProxy({
      client: backend.transport,
      allow: everything,
      authorize: () => ({ id: 'ada', plan: 'free' as 'free' | 'paid' }),
      budget: ({ plan }) => new CreditBudget(plan === 'free' ? 2 : 100),
    })
    expect((await settle(proxy(new Request(`${mount}/organization/usage`)))).value?.status).toBe(200)
    expect((await settle(post(proxy))).value?.status).toBe(200)
  })

  it('lets the page decide about an invalid item, with any validation in the backend', async () => {
    const odd = { requestId: 'req_1', posts: [{ id: 'odd' }], meta: { returnedCount: 1, hasMore: false } }
    for (const validation of ['strict', 'lenient', 'off'] as const) {
      const { proxy, sandbox } = setUp({}, { backend: { validation } })
      sandbox.inject({ body: odd })
      const { value } = await settle(post(proxy))
      expect([value?.status, await value?.json()]).toEqual([200, odd])
    }
  })

  it('passes on a paid page that is invalid when it nests 100,000 levels deep', async () => {
    const { proxy, sandbox } = setUp()
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    sandbox.inject({ status: 200, body: `{"requestId":"req_1","posts":[{"id":"odd"}],"deep":${deep}}` })
    const { value } = await settle(post(proxy))
    expect(await value?.json()).toMatchObject({ requestId: 'req_1', posts: [{ id: 'odd' }] })
  })

  it.each([
    [null, 'microblog.search: the proxy does not know who is calling. Sign in again.'],
    [
      false,
      'microblog.search: this user may not use the proxy. Ask whoever runs the proxy to allow the request.',
    ],
  ] as const)('tells a page whose user is %j what to do', async (user, message) => {
    const { error } = await settle(
      setUp({ authorize: () => user }).browser.microblog.search({ query: 'tea' }),
    )
    expect(error).toMatchObject({ message })
  })
})
