import type { StandardSchemaV1 } from '@standard-schema/spec'
import { afterEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { ResultCache } from '../../../src/extensions/cache/index.ts'
import type { ClientOptions, SocialSearch } from '../../../src/index.ts'
import { settle } from '../../support/clock.ts'
import { page } from '../../support/pages.ts'
import { query } from '../../support/search.ts'
import {
  type Step,
  failure,
  makeClient,
  maybePaid,
  ok,
  paid,
  rateLimited,
  unreachable,
  virtualService,
} from '../../support/service.ts'

const service = virtualService()
afterEach(() => vi.restoreAllMocks())

/** What user code sees of a client at one moment. */
function seen(client: SocialSearch) {
  const { spent, uncertain, reserved } = client.credits
  const { slots, surfaces } = client.status()
  return { spent, uncertain, reserved, taken: slots.taken, wait: surfaces[0]?.wait?.reason }
}

/** A client, and what each piece of user code sees of it, by its name, at its first call. */
function spiedClient(options: Partial<ClientOptions> = {}) {
  const views: Record<string, ReturnType<typeof seen>> = {}
  const look = (name: string): void => void (views[name] ??= seen(client))
  const observers = [{ onAttempt: () => look('onAttempt'), onCall: () => look('onCall') }]
  const client: SocialSearch = makeClient({ observers, ...options })
  const schema: StandardSchemaV1 = {
    '~standard': { version: 1, vendor: 'test', validate: (value) => (look('schema'), { value }) },
  }
  return { client, views, schema }
}

describe('search() counts and frees its slot before any code of the user sees', () => {
  const atRest = { taken: 0, wait: undefined }
  const counted = { ...paid, ...atRest }

  it.each<[string, Partial<ClientOptions>]>([
    ['a page', {}],
    ['a page that is shared through a cache', { cache: new ResultCache({ maxAge: 1000 }) }],
  ])('%s', async (_, options) => {
    service.script(() => ok())
    const { client, views, schema } = spiedClient(options)
    const calls = 'cache' in options ? [1, 2] : [1]
    await settle(Promise.all(calls.map(() => client.microblog.search(query, { schema }))))
    expect(views).toEqual({ schema: counted, onAttempt: counted, onCall: counted })
    expect(service.arrivals).toHaveLength(1)
  })

  it('a lost response', async () => {
    service.script(unreachable)
    const { client, views } = spiedClient()
    await service.search(client)
    const lost = { ...maybePaid, ...atRest }
    expect(views).toEqual({ onAttempt: lost, onCall: lost })
  })

  it('a 429, which also closes its surface', async () => {
    service.script(rateLimited(3), ok())
    const { client, views } = spiedClient()
    await service.search(client)
    const refused = { spent: 0, uncertain: 0, reserved: 2, taken: 0, wait: 'rate_limited' }
    expect(views).toMatchObject({ onAttempt: refused, onCall: counted })
  })
})

describe('search()', () => {
  const unavailable = failure(503, 'unavailable', { error: { retryAfter: 2 } })
  const ofProxy = (charged: string) => failure(429, 'rate_limited', { error: { charged, retryAfter: 3 } })
  const tooLong = '{"requestId":"r","error":{"code":"rate_limited","retryAfter":99999999999999999999}}'
  const inTwo = { error: undefined, sent: 2 }

  it.each<[does: string, Step, Partial<ClientOptions>, end: object]>([
    ['waits out an announced time of just maxWait', rateLimited(60), {}, { ...inTwo, ms: 60_000 }],
    ['waits out the 429 of a proxy that charged nothing', ofProxy('no'), {}, { ...inTwo, ms: 3000 }],
    ['does not retry after the 429 of a proxy that may have charged', ofProxy('unknown'), {}, { sent: 1 }],
    ['fails at once when its deadline ends with a wait', unavailable, { deadline: 2000 }, { sent: 1, ms: 0 }],
    [
      'does not retry before an announced wait of more digits than a number holds',
      ok(tooLong, { status: 429 }),
      ...([{}, { sent: 1, error: { code: 'rate_limited', retryAfter: 9007199254740.991 } }] as const),
    ],
  ])('%s', async (_, first, client, end) => {
    expect(await service.script(first, ok()).search(client)).toMatchObject(end)
  })

  it('waits for the end of a 429 without Retry-After, also when that is later than maxWait', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.9)
    service.script(failure(429, 'rate_limited'), ok())
    expect(await service.search({ retry: { maxWait: 500 } })).toMatchObject({ error: undefined, ms: 900 })
  })

  it.each([
    ['uses up no attempts on 429s until their announced waits come to maxWait', { maxWait: 10_000 }, 11],
    ['stops at maxAttempts when the policy would go on', { maxAttempts: 2 }, 2],
  ])('%s', async (_, retry, sent) => {
    expect(await service.script(rateLimited(1)).search({ retry })).toMatchObject({ sent })
  })

  it('sends a refused call ahead of those that came later when its surface opens', async () => {
    service.script(rateLimited(5), ok())
    const client = makeClient({ limits: { inFlight: 1 } })
    await settle(Promise.all(['first', 'second'].map((query) => client.microblog.search({ query }))))
    const sent = service.arrivals.map(({ body }) => JSON.parse(body).query)
    expect(sent).toEqual(['first', 'first', 'second'])
  })

  it('may be charged when the body breaks off with an error that means "not sent" before the headers', async () => {
    const broken = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    const body = new ReadableStream({ pull: () => Promise.reject(broken) })
    const seen = await service.search({ fetch: () => Promise.resolve(new Response(body)) })
    expect(seen).toMatchObject({ error: { phase: 'exchange' }, ...maybePaid })
  })

  it('counts the wait for the end of a 429 as paced, and every other one as waited', async () => {
    service.script(rateLimited(3), unavailable, ok())
    const { value } = await settle(makeClient().microblog.search(query).withResponse())
    const [none, some] = [
      { paced: 0, waited: 0 },
      { paced: 3000, waited: 2000 },
    ]
    expect(value?.attempts).toMatchObject([none, some, none])
  })

  it('gives the paid page with its response when the headers of a mock have only get()', async () => {
    const text = () => ok().text()
    const mock = { status: 200, headers: { get: () => null }, text }
    const client = makeClient({ fetch: () => Promise.resolve(mock as never) })
    const { value } = await settle(client.microblog.search(query).withResponse())
    expect(value).toMatchObject({ data: { posts: [{}] }, response: { status: 200 }, credits: { spent: 2 } })
    expect(await value?.response.text()).toBe(await text())
  })

  it.each<[string, object, object]>([
    ['its documented shape', { requestId: 'req_1', posts: 'none' }, {}],
    ["the caller's schema", page(['1']), { schema: z.object({ likes: z.number() }) }],
  ])('pays for no answer again that does not fit %s, also with retry.unknown', async (_, body, options) => {
    const error = { name: 'InvalidResponseError', charged: 'yes', body }
    const seen = await service.script(ok(body)).search({ retry: { unknown: true } }, options)
    expect(seen).toMatchObject({ error, sent: 1 })
  })
})

describe('the error of a call', () => {
  it.each([
    [400, 'validation_error'],
    [401, 'unauthorized'],
    [403, 'http_403'],
    [429, 'rate_limited'],
    [502, 'upstream_error'],
    [503, 'professionalnet_unavailable'],
  ])('has the same class and code for a %i of a gateway as for one of the service', async (status, code) => {
    const { error: own } = await service.script(failure(status, code)).search({ retry: false })
    expect(own).toMatchObject({ code, charged: 'no' })
    expect(own).not.toHaveProperty('gateway')
    const { error } = await service.script(new Response('<h1>Busy</h1>', { status })).search({ retry: false })
    expect(error).toMatchObject({ name: (own as Error).name, code, gateway: true, charged: 'unknown' })
  })

  it('has the body of the last attempt alone', async () => {
    service.script(new Response('<h1>Hello</h1>'), failure(404, 'not_found'))
    const { error } = await settle(makeClient().organization.usage())
    expect(error).toMatchObject({ code: 'not_found', attempts: [{ outcome: 'invalid_response' }, {}] })
    expect(error).not.toHaveProperty('body')
  })
})
