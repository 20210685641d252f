import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AuthenticationError, type Budget, CreditBudget, TimeoutError } from '../../src/index.ts'
import { type ProxyCaller, type ProxyOptions, createProxy } from '../../src/proxy/index.ts'
import { pass, settle, useVirtualTime } from '../support/clock.ts'
import { clientOf, everything, mount, post, searchPath, setUp } from './setup.ts'

beforeEach(useVirtualTime)
afterEach(() => vi.useRealTimers())

const evil = 'https://evil.example'
const friend = 'https://friend.example'
const cors = { origins: [friend] }
const headersOf = (response: Response) => Object.fromEntries(response.headers)

const refused: [
  name: string,
  options: Partial<ProxyOptions>,
  request: Parameters<typeof post>[1],
  expected: { status: number; code: string; headers?: object },
][] = [
  ['a path that is no operation’s', {}, { path: '/data/microblog' }, { status: 404, code: 'not_found' }],
  ['a catalog path', {}, { path: '/planets' }, { status: 404, code: 'not_found' }],
  [
    'an id without its prefix',
    {},
    { path: '/mentions/1', method: 'GET' },
    { status: 404, code: 'not_found' },
  ],
  [
    'an id that leads elsewhere',
    {},
    { path: '/mentions/men_..%2f..%2forganization', method: 'GET' },
    { status: 400, code: 'validation_error' },
  ],
  [
    'an operation that is not allowed, before it is looked at how it is asked for',
    { allow: ['technews.search'], authorize: () => Promise.reject(new Error('must not be asked')) },
    { method: 'PUT', headers: { 'content-type': 'text/plain' } },
    { status: 403, code: 'operation_not_allowed' },
  ],
  [
    'a method that the operation does not have',
    {},
    { method: 'GET' },
    { status: 405, code: 'method_not_allowed', headers: { allow: 'POST, OPTIONS' } },
  ],
  ['a forged origin', {}, { headers: { origin: evil } }, { status: 403, code: 'origin_not_allowed' }],
  ['an opaque origin', {}, { headers: { origin: 'null' } }, { status: 403, code: 'origin_not_allowed' }],
  [
    'another origin than those that are trusted',
    { cors },
    { headers: { origin: `${friend}.evil.example` } },
    { status: 403, code: 'origin_not_allowed' },
  ],
  [
    'a page of another site that hides its origin',
    {},
    { headers: { 'sec-fetch-site': 'cross-site' } },
    { status: 403, code: 'origin_not_allowed' },
  ],
  [
    'a page of another host of the same site',
    {},
    { headers: { 'sec-fetch-site': 'same-site', origin: 'https://other.app.example' } },
    { status: 403, code: 'origin_not_allowed' },
  ],
  [
    'a page of another site that reads what is free, and would take one of the two slots',
    {},
    { path: '/mentions', method: 'GET', headers: { 'sec-fetch-site': 'cross-site' } },
    { status: 403, code: 'origin_not_allowed' },
  ],
  [
    'a page of another site that changes something',
    {},
    { path: '/mentions/men_1/state', method: 'PATCH', headers: { origin: evil } },
    { status: 403, code: 'origin_not_allowed' },
  ],
  [
    'a change that is not sent as JSON',
    {},
    { path: '/mentions/men_1/state', method: 'PATCH', headers: { 'content-type': 'text/plain' } },
    { status: 415, code: 'unsupported_media_type' },
  ],
  [
    'what a form can send',
    {},
    { headers: { 'content-type': 'text/plain; x=application/json' } },
    { status: 415, code: 'unsupported_media_type' },
  ],
  ['nobody', { authorize: () => null }, {}, { status: 401, code: 'unauthorized' }],
  ['somebody who may not', { authorize: () => false }, {}, { status: 403, code: 'forbidden' }],
  [
    'anybody when authorize fails',
    { authorize: () => Promise.reject(new Error('the database at 10.0.0.7 is down')) },
    {},
    { status: 500, code: 'internal_error' },
  ],
  [
    'anybody when authorize fails in a way that the service could have',
    {
      authorize: () =>
        Promise.reject(
          new AuthenticationError({ status: 401, code: 'unauthorized', message: '10.0.0.7 refused' }),
        ),
    },
    {},
    { status: 500, code: 'internal_error' },
  ],
  [
    'anybody when a call of authorize found no room',
    { authorize: () => Promise.reject(new TimeoutError('10.0.0.7 is slow', { phase: 'queue' })) },
    {},
    { status: 500, code: 'internal_error' },
  ],
  [
    'anybody when authorize returns no caller',
    { authorize: () => true as never },
    {},
    { status: 500, code: 'internal_error' },
  ],
  [
    'anybody when the caller has an empty id, which all would share',
    { authorize: () => ({ id: '' }) },
    {},
    { status: 500, code: 'internal_error' },
  ],
  [
    'anybody when authorize reads the body',
    { authorize: async (request) => ({ id: await request.text() }) },
    {},
    { status: 500, code: 'internal_error' },
  ],
  ['a body of 10 MB', {}, { body: 'x'.repeat(10_000_000) }, { status: 413, code: 'payload_too_large' }],
  ['a body over maxBodyBytes', { maxBodyBytes: 10 }, {}, { status: 413, code: 'payload_too_large' }],
  ['a body that is no JSON', {}, { body: '{' }, { status: 400, code: 'validation_error' }],
  ['a body that is a text', {}, { body: '"too large"' }, { status: 400, code: 'validation_error' }],
  ['no body', {}, { body: null }, { status: 400, code: 'validation_error' }],
  ['a body that is a list', {}, { body: '[]' }, { status: 400, code: 'validation_error' }],
  [
    'a body that is nested too deeply',
    {},
    { path: '/data/technews/search', body: `{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}` },
    { status: 400, code: 'validation_error' },
  ],
  [
    'params that the service would refuse',
    {},
    { body: '{"query":""}' },
    { status: 400, code: 'validation_error' },
  ],
  ['a caller without credits', { budget: 1 }, {}, { status: 402, code: 'credit_budget' }],
  [
    'a caller who may get more items than there are credits',
    { budget: 10, ceiling: 11 },
    { path: '/data/professionalnet/posts/reactions', body: '{"postUrl":"x"}' },
    { status: 402, code: 'credit_budget' },
  ],
  [
    'a caller whose own budget is spent',
    { budget: 100, authorize: () => ({ id: 'ada', budget: new CreditBudget(1) }) },
    {},
    { status: 402, code: 'credit_budget' },
  ],
  [
    'a caller whose budget is given by a function',
    { budget: (caller) => new CreditBudget(caller.id === 'ada' ? 1 : 100) },
    {},
    { status: 402, code: 'credit_budget' },
  ],
  [
    'a caller for whom the function has no budget',
    { budget: ({ id }) => new Map<string, CreditBudget>().get(id) as CreditBudget },
    {},
    { status: 500, code: 'internal_error' },
  ],
]

describe('createProxy() refuses', () => {
  it.each(refused)(
    '%s, in the service’s format and free of charge',
    async (_, options, request, expected) => {
      const { proxy, sandbox, backend } = setUp(options)
      const { value: response } = await settle(post(proxy, request))
      expect(response?.status).toBe(expected.status)
      const { requestId, error } = (await response?.json()) as {
        requestId: string
        error: Record<string, unknown>
      }
      expect(requestId).toMatch(/^proxy_[\w-]{36}$/)
      expect(error).toMatchObject({
        code: expected.code,
        message: expect.stringMatching(/\w/),
        charged: 'no',
      })
      expect(JSON.stringify(error)).not.toContain('10.0.0.7')
      expect(headersOf(response!)).toMatchObject({
        'content-type': 'application/json',
        'cache-control': 'no-store',
        ...expected.headers,
      })
      expect(response?.headers.has('access-control-allow-origin')).toBe(false)
      expect(sandbox.requests).toEqual([])
      expect(sandbox.ledger.spent).toBe(0)
      expect(backend.credits).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
    },
  )

  it.each<[object, RegExp]>([
    [{ allow: ['microblog.serach'] }, /allow names "microblog.serach", which is no operation/],
    [{ allow: [] }, /allow must name at least one operation/],
    [{ allow: ['planets.create'] }, /which is no operation/],
    [{ authorize: undefined }, /options must have a authorize\(\) method/],
    [{ client: undefined }, /client must be an object, got undefined/],
    [{ client: {} }, /client must have a request\(\) method/],
    [{ budget: -1 }, /a credit budget must be a number of at least 0, got -1/],
    [{ maxBodyBytes: 0 }, /maxBodyBytes must be a whole number/],
    [{ deadline: 0 }, /deadline must be a number of milliseconds/],
    [{ cors: { origins: ['*'] } }, /exact origins such as https:\/\/app.example.com, got "\*"/],
    [{ cors: { origins: ['null'] } }, /exact origins/],
    [{ cors: { origins: ['https://a.example/'] } }, /exact origins/],
    [{ cors: { origins: [friend], credentials: 'include' } }, /cors.credentials must be true or false/],
    [{ allowed: [] }, /options has no allowed/],
  ])('options that cannot work: %j', (options, message) => {
    expect(() => setUp(options)).toThrow(message)
  })
})

describe('createProxy() lets through', () => {
  it.each<[string, Partial<ProxyOptions>, Parameters<typeof post>[1]]>([
    ['its own page', {}, { headers: { origin: 'https://app.example', 'sec-fetch-site': 'same-origin' } }],
    ['its own page in a browser without Fetch Metadata', {}, { headers: { origin: 'https://app.example' } }],
    ['its own page behind a server that ends TLS', {}, { headers: { origin: 'http://app.example' } }],
    ['a page of a trusted origin', { cors }, { headers: { origin: friend, 'sec-fetch-site': 'cross-site' } }],
    ['what is no browser', {}, {}],
    ['a content type with a charset', {}, { headers: { 'content-type': 'Application/JSON; charset=utf-8' } }],
    ['any mount path', {}, { path: `/deeper//still${searchPath}` }],
  ])('%s', async (_, options, request) => {
    const { proxy, sandbox } = setUp(options)
    const { value: response } = await settle(post(proxy, request))
    expect(response?.status).toBe(200)
    expect(response?.headers.get('social-search-credits')).toBe('spent=2, uncertain=0, charged=yes')
    expect(sandbox.ledger.spent).toBe(2)
  })

  it('no header, cookie or query of the page, and none of the service', async () => {
    const seen: Request[] = []
    const { proxy, sandbox } = setUp(
      {},
      {
        backend: {
          fetch: (request) => {
            seen.push(request.clone())
            return sandbox.fetch(request)
          },
        },
      },
    )
    sandbox.inject({ headers: { 'set-cookie': 'a=b', server: 'x', 'x-trace': 'y' } })
    const { value: response } = await settle(
      post(proxy, {
        path: `${searchPath}?verbose=1`,
        headers: {
          cookie: 'session=1',
          authorization: 'Bearer page',
          'x-forwarded-for': '10.0.0.7',
          accept: 'text/x',
        },
      }),
    )
    const [{ url, headers }] = seen as [Request]
    expect(url).toBe(sandbox.baseUrl + searchPath)
    expect([...headers.keys()].sort()).toEqual(['accept', 'authorization', 'content-type'])
    expect(headers.get('authorization')).toBe(`Bearer ${sandbox.apiKey}`)
    expect([...response!.headers.keys()].sort()).toEqual([
      'cache-control',
      'content-type',
      'social-search-credits',
      'x-content-type-options',
    ])
  })

  it('a GET with its query, a HEAD without its body, and a PATCH', async () => {
    const keys = [{ key: 'org_writes', scopes: ['search:read', 'mentions:read', 'mentions:write'] as const }]
    const { proxy, browser, sandbox } = setUp({}, { sandbox: { keys }, backend: { apiKey: 'org_writes' } })
    const { value } = await settle(browser.professionalnet.industries.list({ q: 'soft', page: 1 }))
    expect(value?.industries.length).toBeGreaterThan(0)
    const path = '/professionalnet/industries?q=soft'
    const head = await post(proxy, { path: `/data${path}`, method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    const { value: list } = await settle(browser.mentions.list())
    const [{ id }] = list!['mentions'] as [{ id: string }]
    expect((await settle(browser.mentions.setState(id, { state: 'seen' }))).error).toBeUndefined()
    expect(sandbox.requests.at(-1)).toMatchObject({ method: 'PATCH', body: { state: 'seen' } })
  })

  it('OPTIONS, without asking anybody', async () => {
    const { proxy } = setUp({ authorize: () => null })
    const response = await post(proxy, { method: 'OPTIONS', body: null })
    expect([response.status, response.headers.get('allow')]).toEqual([204, 'POST, OPTIONS'])
  })

  it('the preflight of a trusted origin, and of no other', async () => {
    const ask = (origin: string, options: Partial<ProxyOptions> = { cors: { ...cors, credentials: true } }) =>
      post(setUp(options).proxy, {
        method: 'OPTIONS',
        body: null,
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type,x-team',
        },
      })
    const response = await ask(friend)
    expect(response.status).toBe(204)
    expect(headersOf(response)).toMatchObject({
      vary: 'origin',
      'access-control-allow-origin': friend,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type,x-team',
    })
    for (const stranger of [await ask(evil), await ask(friend, {})]) {
      expect(stranger.status).toBe(403)
      expect(stranger.headers.has('access-control-allow-origin')).toBe(false)
    }
  })

  it('the preflight of what will be refused, so that the page hears why', async () => {
    const { proxy, sandbox } = setUp({ cors, allow: ['technews.search'] })
    const paths = [searchPath, '/data/nothing', '/data/technews/search']
    const asked = { origin: friend, 'access-control-request-method': 'PUT' }
    const preflights = paths.map((path) =>
      post(proxy, { path, method: 'OPTIONS', body: null, headers: asked }),
    )
    const requests = paths.map((path) => post(proxy, { path, method: 'PUT', headers: { origin: friend } }))
    const statuses = (answers: Response[]) => answers.map(({ status }) => status)
    expect(statuses(await Promise.all(preflights))).toEqual([204, 204, 204])
    expect(statuses(await Promise.all(requests))).toEqual([403, 404, 405])
    expect((await requests[0])?.headers.get('access-control-allow-origin')).toBe(friend)
    expect(sandbox.requests).toHaveLength(0)
  })

  it('answers to a trusted origin, errors included, with what it may read', async () => {
    for (const body of ['{"query":"coffee"}', '{}']) {
      const { value } = await settle(post(setUp({ cors }).proxy, { headers: { origin: friend }, body }))
      expect(headersOf(value!)).toMatchObject({
        'access-control-allow-origin': friend,
        'access-control-expose-headers': 'retry-after, social-search-credits',
      })
      expect(value!.headers.has('access-control-allow-credentials')).toBe(false)
    }
    const { value } = await settle(post(setUp({ cors }).proxy))
    expect(value?.headers.get('vary')).toBe('origin')
  })
})

describe('a budget of createProxy()', () => {
  const search = (proxy: (request: Request) => Promise<Response>, id: string, query = 'coffee') =>
    settle(post(proxy, { headers: { 'x-user': id }, body: JSON.stringify({ query }) })).then(
      ({ value }) => value!.status,
    )
  const authorize = (request: Request): ProxyCaller => ({ id: request.headers.get('x-user') ?? '' })

  it('is each caller’s own', async () => {
    const { proxy, sandbox } = setUp({ budget: 2, authorize })
    expect([await search(proxy, 'ada'), await search(proxy, 'ada'), await search(proxy, 'bob')]).toEqual([
      200, 402, 200,
    ])
    expect(sandbox.ledger.spent).toBe(4)
  })

  it('is not exceeded when many calls of one caller come at once', async () => {
    const { proxy, sandbox } = setUp({ budget: 5, authorize })
    const all = await settle(
      Promise.all(Array.from({ length: 20 }, () => post(proxy, { headers: { 'x-user': 'ada' } }))),
    )
    expect(all.value?.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(sandbox.ledger.spent).toBe(4)
  })

  it('is forgotten for nobody who has spent something, so that further callers are refused', async () => {
    const { proxy } = setUp({ budget: 2, maxCallers: 2, authorize })
    expect(await search(proxy, 'ada')).toBe(200)
    for (const id of ['bob', 'eve', 'joe']) expect(await search(proxy, id, '')).toBe(400)
    expect(await search(proxy, 'bob')).toBe(200)
    expect(await search(proxy, 'eve')).toBe(503)
    expect(await search(proxy, 'ada')).toBe(402)
  })

  it('is forgotten for nobody who may have spent something, or is about to', async () => {
    const limits = { perMinute: false } as const
    const { proxy, sandbox } = setUp({ budget: 2, maxCallers: 1, authorize }, { backend: { limits } })
    sandbox.inject({ delay: 1000, reset: 'after' })
    const first = post(proxy, { headers: { 'x-user': 'ada' } })
    await pass(100)
    expect(await search(proxy, 'bob')).toBe(503)
    expect((await settle(first)).value?.status).toBe(502)
    expect(await search(proxy, 'bob')).toBe(503)
    expect(await search(proxy, 'ada')).toBe(402)
  })

  it('covers what `ceiling` sets aside where the service documents no bound', async () => {
    const { browser, sandbox } = setUp({ budget: 200, ceiling: 196 })
    const { value } = await settle(browser.professionalnet.posts.search({ query: 'hiring' }))
    const postUrl = value!.posts[0]!.share_url
    const { error } = await settle(browser.professionalnet.posts.reactions({ postUrl }))
    expect(error).toBeUndefined()
    expect(browser.credits.spent).toBe(sandbox.ledger.spent)
    expect(sandbox.ledger.spent).toBeGreaterThan(4)
  })

  it('may be any budget, such as one that has to ask first', async () => {
    const shared = new CreditBudget(3)
    const budget: Budget = { reserve: async (...args) => Promise.resolve(shared.reserve(...args)) }
    const { proxy, sandbox } = setUp({ budget: () => budget, authorize })
    expect([await search(proxy, 'ada'), await search(proxy, 'bob')]).toEqual([200, 402])
    expect([sandbox.ledger.spent, shared.spent]).toEqual([2, 2])
  })

  it('adds to that of the client with the key', async () => {
    const { proxy } = setUp({ budget: 100, authorize }, { backend: { budget: new CreditBudget(3) } })
    expect([await search(proxy, 'ada'), await search(proxy, 'bob')]).toEqual([200, 402])
  })
})

describe('a caller of createProxy() who leaves', () => {
  it('before anything was sent costs nothing', async () => {
    const { proxy, sandbox, backend } = setUp({}, { backend: { limits: { inFlight: 1, perMinute: false } } })
    sandbox.inject({ delay: 1000 })
    const first = post(proxy)
    const abort = new AbortController()
    const second = post(proxy, { signal: abort.signal })
    await pass(100)
    abort.abort()
    expect((await settle(second)).value?.status).toBe(499)
    expect((await settle(first)).value?.status).toBe(200)
    expect(sandbox.requests).toHaveLength(1)
    expect(backend.credits).toMatchObject({ spent: 2, uncertain: 0, reserved: 0 })
  })

  it('while a free request is under way frees its slot', async () => {
    const { proxy, sandbox } = setUp()
    sandbox.inject({ delay: 1000 })
    const abort = new AbortController()
    const answer = post(proxy, { path: '/mentions', method: 'GET', signal: abort.signal })
    await pass(100)
    abort.abort()
    const { value, ms } = await settle(answer)
    expect([value?.status, ms]).toEqual([499, 0])
  })

  it('while a paid request is under way leaves no doubt in the ledger or the budget', async () => {
    const budget = new CreditBudget(10)
    const { proxy, sandbox, backend, failures } = setUp({ budget: () => budget })
    sandbox.inject({ delay: 1000 })
    const abort = new AbortController()
    const answer = post(proxy, { signal: abort.signal })
    await pass(100)
    expect(sandbox.requests).toHaveLength(1)
    abort.abort()
    await settle(answer)
    expect(backend.credits).toMatchObject({ spent: 2, uncertain: 0, reserved: 0 })
    expect([budget.spent, budget.uncertain]).toEqual([2, 0])
    expect(sandbox.ledger.spent).toBe(2)
    expect(failures).toEqual([])
  })

  it('between two attempts is not waited for', async () => {
    const { proxy, sandbox, backend } = setUp()
    sandbox.inject({ status: 503, retryAfter: 5 })
    const abort = new AbortController()
    const answer = post(proxy, { signal: abort.signal })
    await pass(100)
    abort.abort()
    const { ms } = await settle(answer)
    expect(ms).toBe(0)
    expect(sandbox.requests).toHaveLength(1)
    expect(backend.credits).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
  })

  it('while a failed paid request was under way has no other sent', async () => {
    const { proxy, sandbox } = setUp()
    sandbox.inject({ status: 502, delay: 1000, times: Infinity })
    const abort = new AbortController()
    const answer = post(proxy, { signal: abort.signal })
    await pass(100)
    abort.abort()
    await settle(answer)
    expect(sandbox.requests).toHaveLength(1)
  })
})

describe('createProxy() before a page that will not wait for ever', () => {
  const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

  it('gives up as early when authorize took its time, so that the page hears what became of its call', async () => {
    const { browser, sandbox } = setUp({ authorize: () => later(10_000).then(() => ({ id: 'ada' })) })
    sandbox.inject({ delay: 22_000 })
    const { error, ms } = await settle(browser.microblog.search({ query: 'coffee' }))
    expect(error).toMatchObject({ name: 'TimeoutError', message: /the deadline/ })
    expect(ms).toBe(25_000)
  })

  it('waits longer for an operation that the service calls slow', async () => {
    const { proxy, sandbox } = setUp()
    sandbox.inject({ delay: 80_000 })
    const body = '{"url":"https://professionalnet.example/company/candlemere-lighting"}'
    const { value } = await settle(post(proxy, { path: '/data/professionalnet/company/get', body }))
    expect(value?.status).toBe(200)
  })

  it('sends nothing once authorize has taken all of the time', async () => {
    const authorize = () => later(20_000).then(() => ({ id: 'ada' }))
    const { proxy, sandbox, failures } = setUp({ authorize })
    expect((await settle(post(proxy))).value?.status).toBe(500)
    expect(sandbox.requests).toEqual([])
    expect(failures).toMatchObject([[{ message: /authorize and budget took too long/ }, {}]])
  })

  it('leaves no timer behind when the page has its answer', async () => {
    const { proxy } = setUp()
    expect((await post(proxy)).status).toBe(200)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('does not wait for a body that never ends', async () => {
    const { proxy, sandbox } = setUp()
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array([123])) })
    const { value, ms } = await settle(post(proxy, { body }))
    expect([value?.status, ms]).toEqual([408, 15_000])
    expect(await value?.json()).toMatchObject({ error: { code: 'request_timeout', charged: 'no' } })
    expect(sandbox.requests).toEqual([])
  })
})

describe('createProxy() under load', () => {
  it('tells callers to come back while nothing was sent, so that none is left in doubt and all get through', async () => {
    const limits = { perMinute: 4 }
    const { proxy, sandbox } = setUp({}, { sandbox: { limits }, backend: { limits } })
    const pages = Array.from({ length: 12 }, () =>
      clientOf({ auth: false, fetch: proxy, retry: { maxWait: 600_000 } }),
    )
    const { value } = await settle(
      Promise.allSettled(pages.map((page) => page.microblog.search({ query: 'coffee' }))),
    )
    expect(value?.map(({ status }) => status)).toEqual(pages.map(() => 'fulfilled'))
    for (const { credits } of pages) expect(credits).toMatchObject({ spent: 2, uncertain: 0, reserved: 0 })
    expect(sandbox.requests).toHaveLength(12)
    expect(sandbox.ledger.spent).toBe(24)
  })

  it('sends nothing so late that the caller would leave before the answer', async () => {
    const limits = { inFlight: 1, perMinute: false } as const
    const { proxy, sandbox, failures } = setUp({}, { backend: { limits } })
    sandbox.inject({ delay: 20_000 })
    const first = post(proxy)
    const { value, ms } = await settle(post(proxy))
    expect([value?.status, value?.headers.get('retry-after'), ms]).toEqual([429, '5', 15_000])
    const { requestId } = (await value?.json()) as { requestId: string }
    expect(failures).toMatchObject([[{ name: 'TimeoutError', phase: 'queue' }, { requestId }]])
    expect((await settle(first)).value?.status).toBe(200)
    expect(sandbox.requests).toHaveLength(1)
  })

  it('passes on the wait that the service announced when it is too long for the caller', async () => {
    const { proxy, sandbox } = setUp()
    sandbox.inject({ status: 429, retryAfter: 40 })
    const { value, ms } = await settle(post(proxy))
    expect([value?.status, value?.headers.get('retry-after'), ms]).toEqual([429, '40', 0])
    const { value: next } = await settle(post(proxy))
    expect([next?.status, next?.headers.get('retry-after')]).toEqual([429, '40'])
    expect(sandbox.requests).toHaveLength(1)
  })
})

describe('createProxy()', () => {
  it('serves a transport as well as a client, and whoever has the caller’s type', async () => {
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

  it('leaves it to the page what to make of an odd item, however the backend checks', async () => {
    const odd = { requestId: 'req_1', posts: [{ id: 'odd' }], meta: { returnedCount: 1, hasMore: false } }
    for (const validation of ['strict', 'lenient', 'off'] as const) {
      const { proxy, sandbox } = setUp({}, { backend: { validation } })
      sandbox.inject({ body: odd })
      const { value } = await settle(post(proxy))
      expect([value?.status, await value?.json()]).toEqual([200, odd])
    }
  })

  it('is not affected when onError throws', async () => {
    const { proxy, sandbox } = setUp({
      onError: () => {
        throw new Error('the log is full')
      },
    })
    sandbox.inject({ status: 400 })
    expect((await settle(post(proxy))).value?.status).toBe(400)
  })
})
