import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ResultCache } from '../../../src/extensions/cache/index.ts'
import type { ClientOptions, Endpoint } from '../../../src/index.ts'
import { failure, ok, unreachable, virtualService } from '../../support/service.ts'

const service = virtualService()

/** Sends what the SDK does not know. */
const request = (endpoint: unknown, params = {}, options = {}, client: Partial<ClientOptions> = {}) =>
  service.see((own) => own.request(endpoint as Endpoint, params, options).withResponse(), client)
const trends = { method: 'POST', path: '/data/microblog/trends', credits: 3 } as const
const empty = (status = 204) => new Response(null, { status })
const listener = { path: '/listeners/lis_1', credits: 0 }

describe('SocialSearch.request()', () => {
  it('sends to a path that the SDK does not know, and charges its price', async () => {
    service.script(ok({ requestId: 'req_1', trends: ['rust'] }))
    const { value, bodies, client } = await request(trends, { country: 'DE' })
    expect(value).toMatchObject({ data: { trends: ['rust'] } })
    expect(bodies).toEqual([{ country: 'DE' }])
    const byOperation = { 'POST /data/microblog/trends': { spent: 3 } }
    expect(client.credits).toMatchObject({ spent: 3, byOperation })
    expect(client.status().surfaces).toMatchObject([{ surface: 'microblog' }])
  })

  it('retries what is free, and says that a lost paid request may have been charged', async () => {
    const error = { name: 'ConnectionError', operation: 'POST /data/microblog/trends', charged: 'unknown' }
    service.script(failure(503, 'unavailable'), unreachable)
    expect(await request(trends)).toMatchObject({ error, spent: 0, uncertain: 3 })
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
  ])('names %s %s %s, and sends it to its path', async (method, path, name) => {
    service.script(failure(404, 'not_found'))
    const { error, client } = await request({ method, path, credits: 0 })
    expect([error, Object.keys(client.credits.byOperation)]).toMatchObject([{ operation: name }, [name]])
    expect(service.arrivals[0]?.url).toContain(path)
  })

  it.each([204, 200])('gives {} for %i without a body to a DELETE', async (status) => {
    service.script(empty(status))
    const value = { data: {}, response: { status }, attempts: [{ outcome: 'ok' }] }
    expect(await request({ ...listener, method: 'DELETE' })).toMatchObject({ value })
  })

  it.each(['GET', 'DELETE'])('sends a BigInt in the query of a %s', async (method) => {
    service.script(empty())
    await request({ method, path: '/listeners', credits: 0 }, { before: 9n ** 20n })
    expect(service.arrivals[0]?.url).toContain('?before=12157665459056928801')
  })

  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
  it.each(methods)('gives {} for 204 to %s, whatever is validated', async (method) => {
    service.script(() => empty())
    for (const validation of ['strict', 'lenient', 'off'])
      expect((await request({ ...listener, method }, {}, { validation })).value?.data).toEqual({})
  })

  it('reserves the price of a 204, which does not say what it cost, with a cache, too', async () => {
    service.script(empty())
    const cache = new ResultCache({ maxAge: 60_000 })
    const seen = await request(trends, {}, { cache: { maxAge: 1000 } }, { cache })
    expect(seen).toMatchObject({ value: { data: {} }, spent: 0, uncertain: 3 })
  })

  it('sends a change that has a price once, and says what it may have changed and cost', async () => {
    service.script(failure(502, 'upstream'))
    const change = { method: 'PATCH', path: '/listeners/lis_1', credits: 1 }
    const seen = await request(change, {}, {}, { cache: new ResultCache({ maxAge: 60_000 }) })
    expect(seen).toMatchObject({ error: { applied: 'unknown', charged: 'unknown' }, uncertain: 1 })
    expect(service.arrivals).toHaveLength(1)
  })

  it.each<[string, Response, object?]>([
    ['200 without a body to a PATCH', empty(200)],
    ['204 that does not fit its schema', empty(), { schema: z.object({ id: z.string() }) }],
  ])('fails for %s', async (_, answer, options) => {
    service.script(answer)
    const { error } = await request({ method: 'PATCH', path: '/x', credits: 0 }, {}, options)
    expect(error).toMatchObject({ name: 'InvalidResponseError', applied: 'unknown' })
  })

  const paths = [
    ...['//evil.example/x', 'https://evil.example/x', 'mentions', '/a/../b', '/a/..', '/./b', '/a%2f..%2fb'],
    ...['/a\\b', '/a?x=1', '/a#x', '/a b', '/a/', '/', '/ä', '/a\n', undefined],
  ]
  const prices = [{}, { credits: '3' }, { credits: -1 }, { credits: 1, price: 1 }]
  it.each([
    ...paths.map((path) => ({ method: 'GET', path })),
    ...prices.map((price) => ({ method: 'POST', path: '/x', ...price })),
    { method: 'TRACE', path: '/x', credits: 1 },
  ])('refuses %j', async (endpoint) => {
    const error = { name: 'ConfigurationError', charged: 'no' }
    expect(await request(endpoint)).toMatchObject({ error, sent: 0 })
  })

  it('has few names for paths without end, in all clients of a process, and few rate limits', async () => {
    service.script(() => ok({ requestId: 'req_1' }))
    const names = new Set<string>()
    const surfaces = new Set<string>()
    for (let number = 0; number < 250; number++) {
      const word = Array.from(String(number), (digit) => 'abcdefghij'[Number(digit)]).join('')
      const { client } = await request({ method: 'GET', path: `/data/${word}/posts` })
      for (const name of Object.keys(client.credits.byOperation)) names.add(name)
      for (const { surface } of client.status().surfaces) surfaces.add(String(surface))
    }
    expect(names.size).toBeLessThanOrEqual(201)
    expect(names).toContain('GET /{path}')
    expect(surfaces.size).toBeLessThanOrEqual(21)
    expect(service.arrivals).toHaveLength(250)
  })
})
