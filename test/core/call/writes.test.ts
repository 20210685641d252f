import { describe, expect, it, vi } from 'vitest'
import type { ClientOptions } from '../../../src/index.ts'
import { createProxy } from '../../../src/extensions/proxy/index.ts'
import { abortIn } from '../../support/clock.ts'
import {
  type Step,
  failure,
  hang,
  makeClient,
  ok,
  rateLimited,
  unreachable,
  virtualService,
} from '../../support/service.ts'

const service = virtualService()

/** The error of a change of state. */
const failed = async (client: Partial<ClientOptions> = {}, options = {}) =>
  (await service.see(({ mentions }) => mentions.setState('men_1', { state: 'done' }, options), client)).error

/** A client behind a proxy, which has its own client of the scripted service. */
function proxied(): Partial<ClientOptions> {
  const authorize = () => ({ id: 'user' })
  const proxy = createProxy({ client: makeClient(), allow: ['mentions.setState'], authorize })
  const fetch = (...request: Parameters<typeof globalThis.fetch>) => proxy(new Request(...request))
  return { baseUrl: 'https://app.example/v1', apiKey: undefined, auth: false, fetch }
}

const html = (status: number) => new Response('<html>', { status })

describe.each([
  ['of the service', () => ({}), 403],
  // A 403 refuses the proxy, not the page.
  ['behind a proxy', proxied, 502],
])('mentions.setState() of a client %s', (_, client, forbidden) => {
  it.each<[string, Step]>([
    ['the response is lost', unreachable],
    ['the service answers 500', failure(500, 'internal_error')],
    ['the service answers 502', failure(502, 'upstream')],
    ['a gateway answers', html(504)],
  ])('has applied unknown and is not charged when %s', async (_, response) => {
    service.script(response)
    const error = (await failed(client())) as Error
    expect(error).toMatchObject({ applied: 'unknown', charged: 'no', attempts: [{ charged: 'no' }] })
    expect(error.message).toMatch(/[^.]\. The change may have been applied\. Check before you retry\.$/)
    expect(error.message).not.toContain('charged')
    expect(service.arrivals).toHaveLength(1)
  })

  it.each([
    [400, 400],
    [403, forbidden],
    [404, 404],
  ])('has applied no when the service answers %i', async (answered, status) => {
    service.script(failure(answered, 'refused'))
    expect(await failed(client())).toMatchObject({ status, applied: 'no', charged: 'no' })
  })
})

describe('mentions.setState()', () => {
  const refreshing = { apiKey: undefined, auth: { token: () => 'token', refresh: () => Promise.resolve() } }
  const unknown = { retry: { unknown: true } }
  const gone = failure(404, 'not_found')
  const second = { status: 404, attempts: [{}, {}] }

  it.each<[applied: string, when: string, Step[], object, object, Partial<ClientOptions>?]>([
    ['no', 'nothing is sent', [], { code: 'configuration' }, { deadline: 0.5 }],
    ['no', 'a 429 refuses it', [rateLimited(90)], { status: 429 }, {}],
    ['no', 'a 503 refuses each attempt', [failure(503, 'unavailable')], { status: 503 }, {}],
    ['unknown', 'the time runs out', [hang], { code: 'timeout' }, { timeout: 100 }],
    ['unknown', 'a success cannot be read', [ok('<html>')], { code: 'invalid_response' }, {}],
    ['unknown', 'its retry is refused after a foreign 401', [html(401), gone], second, unknown, refreshing],
    ['unknown', 'its retry is refused after a lost response', [unreachable, gone], second, unknown],
  ])('has applied %s when %s', async (applied, _, steps, error, options, client) => {
    service.script(...steps)
    expect(await failed(client, options)).toMatchObject({ ...error, applied, charged: 'no' })
  })
})

describe('applied', () => {
  it.each<[applied: string | undefined, when: string, Step, object?]>([
    ['unknown', 'the response is lost', unreachable],
    ['no', 'the service refuses it', failure(404, 'not_found')],
    [undefined, 'it succeeds', ok({ requestId: 'req_1' })],
    ['unknown', 'the caller aborts a request in flight', hang, {}],
  ])('of onCall is %s when %s', async (applied, _, response, aborted) => {
    service.script(response)
    const onCall = vi.fn()
    await failed({}, { observers: [{ onCall }], ...(aborted && { signal: abortIn(100) }) })
    expect(onCall).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ applied }))
  })

  it('is absent from errors of reads and searches', async () => {
    service.script(failure(404, 'not_found'))
    const read = await service.see(({ mentions }) => mentions.get('men_1'))
    for (const { error } of [read, await service.search()]) expect(error).not.toHaveProperty('applied')
  })
})
