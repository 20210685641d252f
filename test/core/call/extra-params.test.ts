import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ResultCache } from '../../../src/extensions/cache/index.ts'
import { pass, settle, virtualTime } from '../../support/clock.ts'
import { failure, makeClient, ok, scriptedService, unreachable } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

const bodies = () => service.arrivals.map(({ body }) => JSON.parse(body) as object)
const pageOf = (nextCursor?: string) =>
  ok({
    requestId: 'req_1',
    posts: [],
    meta: { returnedCount: 0, hasMore: nextCursor !== undefined, ...(nextCursor && { nextCursor }) },
  })

describe('extraParams', () => {
  it.each<[string, object, object, object]>([
    ['a new param', {}, { newParam: 1 }, { newParam: 1 }],
    ['a new value of an enum', { category: 'Top' }, { category: 'Live' }, { category: 'Live' }],
    [
      'a new filter beside a documented one',
      { filters: { lang: 'en' } },
      { filters: { minimumViewsCount: 5 } },
      { filters: { lang: 'en', minimumViewsCount: 5 } },
    ],
  ])('sends %s', async (_, params, extraParams, sent) => {
    service.script(() => pageOf())
    const { error } = await settle(
      makeClient().microblog.search({ query: 'rust', ...params }, { extraParams: { ...extraParams } }),
    )
    expect(error).toBeUndefined()
    expect(bodies()).toEqual([{ query: 'rust', ...sent }])
  })

  it.each<[string, object, object]>([
    ['a typo', { qeury: 'rust' }, { newParam: 1 }],
    ['a typo among filters', { filters: { langg: 'en' } }, { filters: { minimumViewsCount: 5 } }],
    ['a wrong type in place of filters', { filters: 'en' }, { filters: { minimumViewsCount: 5 } }],
    ['an extra cursor', {}, { cursor: 'a' }],
    ['a function', {}, { newParam: () => {} }],
    ['a BigInt', {}, { newParam: 1n }],
    ['NaN', {}, { newParam: NaN }],
    ['a Set', {}, { newParam: new Set([1]) }],
    ['a promise that nobody awaited', {}, { filters: { newParam: Promise.resolve(1) } }],
    ['a gap in a list', {}, { newParam: [1, undefined] }],
    ['a Map in place of the extra params', {}, new Map([['newParam', 1]])],
    ['a Map in place of documented filters', { filters: new Map([['lang', 'en']]) }, {}],
  ])('sends nothing and costs nothing for %s', async (_, params, extraParams) => {
    const client = makeClient()
    const call = client.microblog.search({ query: 'rust', ...params }, { extraParams: extraParams as never })
    expect((await settle(call)).error).toMatchObject({ name: 'InvalidRequestError', charged: 'no' })
    expect([service.arrivals.length, client.credits.spent]).toEqual([0, 0])
  })

  it('sends nothing for an invalid date, in place of which JSON has null', async () => {
    const client = makeClient()
    const extraParams = { filters: { from: new Date('yesterday') } }
    const { error } = await settle(client.microblog.search({ query: 'rust' }, { extraParams }))
    expect(error).toMatchObject({
      name: 'InvalidRequestError',
      charged: 'no',
      issues: [{ path: 'extraParams' }],
    })
    const undocumented = client.technews.search({ from: new Date('yesterday') })
    expect((await settle(undocumented)).error).toMatchObject({ name: 'InvalidRequestError', charged: 'no' })
    expect(service.arrivals).toEqual([])
  })

  it('goes with every page, and with next of a page and of an error', async () => {
    service.script(pageOf('c1'), failure(502, 'upstream_error'), pageOf('c1'), pageOf())
    const client = makeClient({ retry: false })
    const extraParams: Record<string, unknown> = { filters: { minimumViewsCount: 5 } }
    const search = client.microblog.search({ query: 'rust' }, { extraParams })
    extraParams['later'] = true
    const walk = search.pages()
    const first = await settle(walk.next())
    const next = { query: 'rust', filters: { minimumViewsCount: 5 }, cursor: 'c1' }
    expect(first.value).toMatchObject({ value: { next } })
    const { error } = await settle(walk.next())
    expect(error).toMatchObject({ name: 'UpstreamError', next })
    const resumed = await settle(search.resume(error as Error as never).then())
    expect(resumed.error).toBeUndefined()
    await settle(
      client.microblog.search(next as never, { extraParams: { filters: { minimumViewsCount: 6 } } }),
    )
    expect(bodies()).toEqual([
      { query: 'rust', filters: { minimumViewsCount: 5 } },
      next,
      next,
      { ...next, filters: { minimumViewsCount: 6 } },
    ])
  })

  it('is refused by resume() of a call without it', () => {
    const next = { query: 'rust', newParam: 1, cursor: 'c1' }
    expect(() => makeClient().microblog.search({ query: 'rust' }).resume({ next })).toThrow('newParam')
  })

  it('is part of what the cache stores an answer for', async () => {
    service.script(() => pageOf())
    const client = makeClient({ cache: new ResultCache({ maxAge: 60_000 }) })
    for (const minimumViewsCount of [5, 6, 5])
      await settle(
        client.microblog.search({ query: 'rust' }, { extraParams: { filters: { minimumViewsCount } } }),
      )
    await pass(10)
    expect(service.arrivals).toHaveLength(2)
  })
})

describe('SocialSearch.request()', () => {
  it('sends to a path that the SDK does not know, and charges its price', async () => {
    service.script(() => ok({ requestId: 'req_1', trends: ['rust'] }))
    const client = makeClient()
    const { value } = await settle(
      client.request({ method: 'POST', path: '/data/microblog/trends', credits: 3 }, { country: 'DE' }),
    )
    expect(value).toMatchObject({ trends: ['rust'] })
    expect(bodies()).toEqual([{ country: 'DE' }])
    expect(client.credits).toMatchObject({
      spent: 3,
      byOperation: { 'POST /data/microblog/trends': { spent: 3 } },
    })
    expect(client.status().surfaces).toMatchObject([{ surface: 'microblog' }])
  })

  it('retries what is free, and says that a lost paid request may have been charged', async () => {
    service.script(failure(503, 'unavailable'), unreachable)
    const client = makeClient()
    const call = client.request({ method: 'POST', path: '/data/microblog/trends', credits: 3 })
    expect((await settle(call)).error).toMatchObject({
      ...{ name: 'ConnectionError', operation: 'POST /data/microblog/trends', charged: 'unknown' },
    })
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 3 })
  })

  it.each([
    ['GET', '/reports/daily', 'GET /reports/daily'],
    ['GET', '/v2/top10/openapi.json', 'GET /v2/top10/openapi.json'],
    ['POST', '/data/microblog/saved-searches/set_state', 'POST /data/microblog/saved-searches/set_state'],
    ['DELETE', '/listeners/lis_abc', 'DELETE /listeners/{id}'],
    ['GET', '/mentions/men_7/state', 'GET /mentions/{id}/state'],
    ['GET', '/posts/1588987262754234369', 'GET /posts/{id}'],
    ['GET', '/reports/2026-11-28', 'GET /reports/{id}'],
    ['GET', '/jobs/0b5d0d9e-2f7c-4a52-9a57-0c3d1e2f3a4b/logs', 'GET /jobs/{id}/logs'],
    ['GET', '/users/ada@acme.example', 'GET /users/{id}'],
    ['GET', '/plans/pln_9', 'GET /plans/{id}'],
    ['GET', `/files/${'abcDEF'.repeat(8)}`, 'GET /files/{id}'],
  ] as const)('names %s %s %s, and sends it to its path', async (method, path, name) => {
    service.script(failure(404, 'not_found'))
    const client = makeClient()
    const { error } = await settle(client.request({ method, path, credits: 0 }))
    expect(error).toMatchObject({ operation: name })
    expect(Object.keys(client.credits.byOperation)).toEqual([name])
    expect(service.arrivals[0]?.url).toContain(path)
  })

  it.each([204, 200] as const)('gives {} for %i without a body to a DELETE', async (status) => {
    service.script(new Response(null, { status }))
    const call = makeClient().request({ method: 'DELETE', path: '/listeners/lis_1', credits: 0 })
    const { value } = await settle(call.withResponse())
    expect(value).toMatchObject({ data: {}, response: { status }, attempts: [{ outcome: 'ok' }] })
  })

  it.each(['GET', 'DELETE'] as const)('sends a BigInt in the query of a %s', async (method) => {
    service.script(new Response(null, { status: 204 }))
    await settle(makeClient().request({ method, path: '/listeners', credits: 0 }, { before: 9n ** 20n }))
    expect(service.arrivals[0]?.url).toContain('?before=12157665459056928801')
  })

  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
  it.each(methods)('gives {} for 204 to %s, whatever is validated', async (method) => {
    service.script(() => new Response(null, { status: 204 }))
    for (const validation of ['strict', 'lenient', 'off'] as const) {
      const client = makeClient()
      const { value, error } = await settle(
        client.request({ method, path: '/listeners/lis_1', credits: 0 }, {}, { validation }),
      )
      expect([value, error]).toEqual([{}, undefined])
    }
  })

  it('gives {} for 204 to mentions.setState()', async () => {
    service.script(new Response(null, { status: 204 }))
    const { value } = await settle(makeClient().mentions.setState('men_1', { state: 'done' }))
    expect(value).toEqual({})
  })

  it('reserves the price of a 204, which does not say what it cost, with a cache, too', async () => {
    service.script(new Response(null, { status: 204 }))
    const client = makeClient({ cache: new ResultCache({ maxAge: 60_000 }) })
    const endpoint = { method: 'POST', path: '/data/microblog/trends', credits: 3 } as const
    const { value } = await settle(client.request(endpoint, {}, { cache: { maxAge: 1000 } }))
    expect([value, client.credits]).toMatchObject([{}, { spent: 0, uncertain: 3 }])
  })

  it.each<[string, Response, object?]>([
    ['200 without a body to a PATCH', new Response(null)],
    [
      '204 that does not fit its schema',
      new Response(null, { status: 204 }),
      { schema: z.object({ id: z.string() }) },
    ],
  ])('fails for %s', async (_, answer, options) => {
    service.script(answer)
    const call = makeClient().request({ method: 'PATCH', path: '/x', credits: 0 }, {}, options)
    expect((await settle(call)).error).toMatchObject({ name: 'InvalidResponseError', applied: 'unknown' })
  })

  it.each([
    '//evil.example/x',
    'https://evil.example/x',
    'mentions',
    '/a/../b',
    '/a/..',
    '/./b',
    '/a%2f..%2fb',
    '/a\\b',
    '/a?x=1',
    '/a#x',
    '/a b',
    '/a/',
    '/',
    '/ä',
    '/a\n',
    undefined,
  ])('refuses the path %j', async (path) => {
    const { error } = await settle(makeClient().request({ method: 'GET', path: path as string }))
    expect(error).toMatchObject({ name: 'ConfigurationError', charged: 'no' })
    expect(service.arrivals).toHaveLength(0)
  })

  it.each<[string, object]>([
    ['no price', {}],
    ['a price that is no number', { credits: '3' }],
    ['a negative price', { credits: -1 }],
    ['an option that does not exist', { credits: 1, price: 1 }],
    ['another method', { credits: 1, method: 'TRACE' }],
  ])('refuses %s', async (_, more) => {
    const { error } = await settle(makeClient().request({ method: 'POST', path: '/x', ...more } as never))
    expect(error).toMatchObject({ name: 'ConfigurationError', charged: 'no' })
  })
})

describe('SocialSearch.request() to paths without end', () => {
  const wordOf = (number: number): string =>
    Array.from(String(number), (digit) => 'abcdefghij'[Number(digit)]).join('')

  it('has few names, in all clients of a process, and few rate limits', async () => {
    service.script(() => ok({ requestId: 'req_1' }))
    const names = new Set<string>()
    const surfaces = new Set<string>()
    for (let number = 0; number < 250; number++) {
      const client = makeClient()
      await settle(client.request({ method: 'GET', path: `/data/${wordOf(number)}/posts` }))
      for (const name of Object.keys(client.credits.byOperation)) names.add(name)
      for (const { surface } of client.status().surfaces) surfaces.add(String(surface))
    }
    expect(names.size).toBeLessThanOrEqual(201)
    expect(names).toContain('GET /{path}')
    expect(surfaces.size).toBeLessThanOrEqual(21)
    expect(service.arrivals).toHaveLength(250)
  })
})
