import { describe, expect, it } from 'vitest'
import { settle, virtualTime } from '../../support/clock.ts'
import { query } from '../../support/search.ts'
import { failure, makeClient, maybePaid, ok, rateLimited, scriptedService } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

describe('search()', () => {
  it('reports an answer as uncertain when a proxy does', async () => {
    const headers = { 'social-search-credits': 'spent=0, uncertain=2, charged=unknown' }
    service.script(ok(undefined, { headers }))
    const client = makeClient()
    const { value } = await settle(client.microblog.search(query).withResponse())
    expect(value).toMatchObject({ attempts: [{ charged: 'unknown' }], credits: { spent: 0, uncertain: 2 } })
  })

  it.each([
    [2, 'no'],
    [1, 'unknown'],
  ])('sends %d requests when the first gets the 429 of a proxy that charged: %s', async (sent, charged) => {
    service.script(failure(429, 'rate_limited', { error: { charged, retryAfter: 3 } }), ok())
    await settle(makeClient().microblog.search(query))
    expect(service.arrivals).toHaveLength(sent)
  })

  it('may be charged when the body breaks off with an error that means "not sent" before the headers', async () => {
    const broken = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    const fetch = () =>
      Promise.resolve(new Response(new ReadableStream({ pull: () => Promise.reject(broken) })))
    expect(await service.search({ fetch })).toMatchObject({ error: { phase: 'exchange' }, ...maybePaid })
  })

  it('counts the wait for the end of a 429 as paced, and every other one as waited', async () => {
    service.script(rateLimited(3), failure(503, 'unavailable', { error: { retryAfter: 2 } }), ok())
    const { value } = await settle(makeClient().microblog.search(query).withResponse())
    const times = value?.attempts.map(({ paced, waited }) => [paced, waited])
    expect(times).toEqual([
      [0, 0],
      [3000, 2000],
      [0, 0],
    ])
  })

  it('gives the paid page with its response when the headers of a mock have only get()', async () => {
    const text = () => ok().text()
    const mock = { status: 200, headers: { get: () => null }, text }
    const client = makeClient({ fetch: () => Promise.resolve(mock as never) })
    const { value } = await settle(client.microblog.search(query).withResponse())
    expect(value).toMatchObject({ data: { posts: [{}] }, response: { status: 200 }, credits: { spent: 2 } })
    expect(await value?.response.text()).toBe(await text())
  })

  it('fails at once when the announced wait ends at its deadline', async () => {
    service.script(failure(503, 'unavailable', { error: { retryAfter: 2 } }), ok())
    expect(await service.search({ deadline: 2000 })).toMatchObject({ error: { status: 503 }, ms: 0 })
  })
})
