import { describe, expect, it } from 'vitest'
import { type ProxyOptions } from '../../src/extensions/proxy/index.ts'
import { settle, virtualTime } from '../support/clock.ts'
import { cors, evil, friend, headersOf, post, searchPath, setUp } from './setup.ts'

virtualTime()

/** What a browser asks before a request. */
const preflight = (proxy: Parameters<typeof post>[0], headers: Record<string, string>, path = searchPath) => {
  const asked = { 'access-control-request-method': 'POST', ...headers }
  return post(proxy, { path, method: 'OPTIONS', body: null, headers: asked })
}

describe('createProxy() lets through', () => {
  it.each<[string, Partial<ProxyOptions>, Parameters<typeof post>[1]]>([
    ['its own page', {}, { headers: { origin: 'https://app.example', 'sec-fetch-site': 'same-origin' } }],
    ['its own page in a browser without Fetch Metadata', {}, { headers: { origin: 'https://app.example' } }],
    ['its own page behind a server that ends TLS', {}, { headers: { origin: 'http://app.example' } }],
    ['a page of a trusted origin', { cors }, { headers: { origin: friend, 'sec-fetch-site': 'cross-site' } }],
    ['a client that is not a browser', {}, {}],
    ['a content type with a charset', {}, { headers: { 'content-type': 'Application/JSON; charset=utf-8' } }],
    ['any mount path', {}, { path: `/deeper//still${searchPath}` }],
  ])('%s', async (_, options, request) => {
    const { proxy, sandbox } = setUp(options)
    const { value: response } = await settle(post(proxy, request))
    expect(response?.status).toBe(200)
    expect(response?.headers.get('social-search-credits')).toBe('spent=2, uncertain=0, charged=yes')
    expect(sandbox.ledger.spent).toBe(2)
  })

  it('no header, cookie or query of the page, and no header of the service', async () => {
    const seen: Request[] = []
    const fetch = (request: Request): Promise<Response> => (
      seen.push(request.clone()),
      sandbox.fetch(request)
    )
    const { proxy, sandbox } = setUp({}, { backend: { fetch } })
    sandbox.inject({ headers: { 'set-cookie': 'a=b', server: 'x', 'x-trace': 'y' } })
    const asked = {
      cookie: 'a=1',
      authorization: 'Bearer page',
      'x-forwarded-for': '10.0.0.7',
      accept: 'x/y',
    }
    const { value: response } = await settle(post(proxy, { path: `${searchPath}?verbose=1`, headers: asked }))
    const [{ url, headers }] = seen as [Request]
    expect(url).toBe(sandbox.baseUrl + searchPath)
    expect([...headers.keys()].sort()).toEqual(['accept', 'authorization', 'content-type', 'user-agent'])
    expect(headers.get('authorization')).toBe(`Bearer ${sandbox.apiKey}`)
    expect(headers.get('user-agent')).toMatch(/^social-search-sdk/)
    const own = ['cache-control', 'content-type', 'social-search-credits', 'x-content-type-options']
    expect([...response!.headers.keys()].sort()).toEqual(own)
  })

  it('a GET with its query, and a PATCH', async () => {
    const keys = [{ key: 'org_writes', scopes: ['search:read', 'mentions:read', 'mentions:write'] as const }]
    const { browser, sandbox } = setUp({}, { sandbox: { keys }, backend: { apiKey: 'org_writes' } })
    const { value } = await settle(browser.professionalnet.industries.list({ q: 'soft', page: 1 }))
    expect(value?.industries.length).toBeGreaterThan(0)
    const { value: list } = await settle(browser.mentions.list())
    const [{ id }] = list!['mentions'] as [{ id: string }]
    expect((await settle(browser.mentions.setState(id, { state: 'seen' }))).error).toBeUndefined()
    expect(sandbox.requests.at(-1)).toMatchObject({ method: 'PATCH', body: { state: 'seen' } })
  })

  it('the preflight of trusted origins only', async () => {
    const ask = (origin: string, options: Partial<ProxyOptions> = { cors: { ...cors, credentials: true } }) =>
      preflight(setUp(options).proxy, { origin, 'access-control-request-headers': 'content-type,x-team' })
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

  it.each([
    ...['capacitor://localhost', 'ionic://localhost', 'tauri://localhost', 'http://localhost:8100'],
    ...['chrome-extension://abcdefghijklmnop', 'moz-extension://b0d1f1a0-0000-4000-8000-000000000000'],
  ])('the preflight and the call of an app at %s, if it is listed', async (origin) => {
    const asked = { origin, 'sec-fetch-site': 'cross-site' }
    const { proxy } = setUp({ cors: { origins: [origin] } })
    for (const { ok, headers } of [await preflight(proxy, asked), await post(proxy, { headers: asked })])
      expect([ok, headers.get('access-control-allow-origin')]).toEqual([true, origin])
    expect((await post(setUp({ cors }).proxy, { headers: asked })).status).toBe(403)
  })

  it('the preflight of a request that it will refuse, so that the page sees the reason', async () => {
    const { proxy, sandbox } = setUp({ cors, allow: ['technews.search'] })
    const paths = [searchPath, '/data/nothing', '/data/technews/search']
    const asked = { origin: friend, 'access-control-request-method': 'PUT' }
    const preflights = paths.map((path) => preflight(proxy, asked, path))
    const requests = paths.map((path) => post(proxy, { path, method: 'PUT', headers: { origin: friend } }))
    const statuses = (answers: Response[]) => answers.map(({ status }) => status)
    expect(statuses(await Promise.all(preflights))).toEqual([204, 204, 204])
    expect(statuses(await Promise.all(requests))).toEqual([403, 404, 405])
    expect((await requests[0])?.headers.get('access-control-allow-origin')).toBe(friend)
    expect(sandbox.requests).toHaveLength(0)
  })

  it('responses to a trusted origin, including errors, with readable headers', async () => {
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
