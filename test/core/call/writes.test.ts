import { describe, expect, it, vi } from 'vitest'
import { type SocialSearchError } from '../../../src/index.ts'
import { createProxy } from '../../../src/extensions/proxy/index.ts'
import { abortIn, settle, virtualTime } from '../../support/clock.ts'
import { failure, makeClient, ok, rateLimited, scriptedService, unreachable } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

type Client = ReturnType<typeof makeClient>

/** The error of a change of state. */
async function failed(client: Client, options = {}): Promise<SocialSearchError> {
  const { error } = await settle(client.mentions.setState('men_1', { state: 'done' }, options))
  return error as SocialSearchError
}

/** A client behind a proxy, which has its own client of the scripted service. */
function proxied(): Client {
  const proxy = createProxy({
    client: makeClient(),
    allow: ['mentions.setState'],
    authorize: () => ({ id: 'user' }),
  })
  const fetch = (...request: Parameters<typeof globalThis.fetch>) => proxy(new Request(...request))
  return makeClient({ baseUrl: 'https://app.example/v1', apiKey: undefined, auth: false, fetch })
}

describe.each([
  ['of the service', () => makeClient(), 403],
  // A 403 refuses the proxy, not the page.
  ['behind a proxy', proxied, 502],
])('mentions.setState() of a client %s', (_, client, forbidden) => {
  it.each([
    ['the response is lost', unreachable],
    ['the service answers 500', () => failure(500, 'internal_error')],
    ['the service answers 502', () => failure(502, 'upstream')],
    ['a gateway answers', () => new Response('<html>', { status: 504 })],
  ])('has applied unknown and is not charged when %s', async (_, response) => {
    service.script(response)
    const error = await failed(client())
    expect(error).toMatchObject({ applied: 'unknown', charged: 'no' })
    expect(error.message).toMatch(/[^.]\. The change may have been applied\. Check before you retry\.$/)
    expect(error.message).not.toContain('charged')
    expect(error.attempts.map(({ charged }) => charged)).toEqual(['no'])
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
  it('has applied no when nothing is sent, or a 429 or 503 refuses each attempt', async () => {
    expect(await failed(makeClient(), { deadline: 0.5 })).toMatchObject({
      code: 'configuration',
      applied: 'no',
    })
    service.script(rateLimited(90))
    expect(await failed(makeClient())).toMatchObject({ status: 429, applied: 'no' })
    service.script(failure(503, 'unavailable'))
    expect(await failed(makeClient())).toMatchObject({ status: 503, applied: 'no' })
    const client = makeClient()
    await client.close()
    expect(await failed(client)).toMatchObject({ code: 'closed', applied: 'no' })
  })

  it('has applied unknown when the time runs out or a success cannot be read', async () => {
    service.script(() => new Promise<Response>(() => {}))
    expect(await failed(makeClient(), { timeout: 100 })).toMatchObject({
      code: 'timeout',
      applied: 'unknown',
    })
    service.script(ok('<html>'))
    expect(await failed(makeClient())).toMatchObject({ code: 'invalid_response', applied: 'unknown' })
  })

  it('keeps applied unknown when a retry is refused after a 401 that the service did not send', async () => {
    service.script(new Response('<html>', { status: 401 }), failure(404, 'not_found'))
    const auth = { token: () => 'token', refresh: () => Promise.resolve() }
    const client = makeClient({ apiKey: undefined, auth, retry: { unknown: true } })
    expect(await failed(client)).toMatchObject({ status: 404, applied: 'unknown', charged: 'no' })
    expect(service.arrivals).toHaveLength(2)
  })

  it('keeps applied unknown when a retry is refused after a lost response', async () => {
    service.script(unreachable, failure(404, 'not_found'))
    const error = await failed(makeClient(), { retry: { unknown: true } })
    expect(error).toMatchObject({ status: 404, applied: 'unknown', charged: 'no' })
  })
})

describe('applied of onCall', () => {
  it.each([
    ['unknown', 'the response is lost', unreachable()],
    ['no', 'the service refuses it', failure(404, 'not_found')],
    [undefined, 'it succeeds', ok({ requestId: 'req_1' })],
  ])('is %s when %s', async (applied, _, response) => {
    service.script(response)
    const onCall = vi.fn()
    await failed(makeClient(), { observers: [{ onCall }] })
    expect(onCall).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ applied, charged: 'no' }))
  })

  it('is unknown when the caller aborts a request in flight', async () => {
    service.script(() => new Promise<Response>(() => {}))
    const onCall = vi.fn()
    const signal = abortIn(100)
    await failed(makeClient(), { observers: [{ onCall }], signal })
    expect(onCall).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ applied: 'unknown' }))
  })
})

describe('applied', () => {
  it('is absent from errors of reads and searches', async () => {
    service.script(failure(404, 'not_found'))
    const client = makeClient()
    expect((await settle(client.mentions.get('men_1'))).error).not.toHaveProperty('applied')
    expect((await settle(client.microblog.search({ query: 'a' }))).error).not.toHaveProperty('applied')
  })
})
