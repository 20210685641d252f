import { describe, expect, it } from 'vitest'
import { ConfigurationError, SocialSearch, isSocialSearchError } from '../../src/index.ts'
import { NotCachedError, ResultCache } from '../../src/extensions/cache/index.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { idsOf, threePages, query } from '../support/search.ts'
import { makeClient, ok, scriptedService, slow } from '../support/service.ts'
import { cached } from './cached.ts'

const service = scriptedService()
virtualTime()

const only = { cache: 'only' } as const

const allowed = 'cache must be false, refresh, only or { maxAge: milliseconds }'

describe('search() refuses the option cache before it sends', () => {
  it.each([
    ['with an unknown word', 'Only', allowed],
    ['with null', null, allowed],
    ['with a negative age', { maxAge: -1 }, allowed],
    ['with a misspelled field', { maxage: 0 }, 'unknown option cache.maxage; expected one of maxAge'],
  ])('%s, also without a cache', async (_, cache, message) => {
    for (const client of [cached().client, makeClient()]) {
      const { error } = await settle(client.microblog.search(query, { cache } as object))
      expect(error).toBeInstanceOf(ConfigurationError)
      expect((error as Error).message).toContain(message)
    }
    expect(service.arrivals).toHaveLength(0)
  })
})

describe("search() with cache: 'only'", () => {
  it('returns a stored answer of any age and sends nothing', async () => {
    service.script(() => ok())
    const { client } = cached()
    await settle(client.microblog.search(query))
    await pass(3_600_000)
    const { value } = await settle(client.microblog.search(query, only).withResponse())
    expect(value).toMatchObject({ cached: { age: 3_600_000, saved: 2 }, credits: { spent: 0 } })
    expect(service.arrivals).toHaveLength(1)
    expect(client.credits).toMatchObject({ spent: 2, saved: 2 })
  })

  it('fails with a NotCachedError and sends nothing when no answer is stored', async () => {
    const { client } = cached()
    const { error } = await settle(client.microblog.search(query, only))
    expect(error).toBeInstanceOf(NotCachedError)
    expect(isSocialSearchError(error)).toBe(true)
    const advice = 'the cache has no answer to these params; leave out `cache` to send it'
    expect(error).toMatchObject({
      ...{ code: 'not_cached', charged: 'no', operation: 'microblog.search', attempts: [], next: query },
      message: `microblog.search: not sent: ${advice}`,
    })
    expect(service.arrivals).toHaveLength(0)
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
  })

  it('names the credential that is missing, not the organization that follows from it', async () => {
    const client = SocialSearch.fromEnv({ cache: new ResultCache({ maxAge: 60_000 }) })
    const { error } = await settle(client.microblog.search(query))
    expect(String(error)).toContain('not sent: set the environment variable SOCIAL_SEARCH_BASE_URL')
  })

  it('fails for free calls, whose answers are never stored', async () => {
    const { client } = cached()
    for (const call of [() => client.mentions.list({}, only), () => client.organization.usage({}, only)]) {
      const { error } = await settle(call())
      expect(error).toMatchObject({ code: 'not_cached', charged: 'no' })
      expect((error as Error).message).toContain('free calls are not stored')
    }
    expect(service.arrivals).toHaveLength(0)
  })

  it('walks the stored pages, and ends with the params of the page that is missing', async () => {
    service.script(...threePages())
    const { client } = cached()
    await settle(client.microblog.search(query).toArray({ limit: 4 }))
    const { error } = await settle(client.microblog.search(query, only).toArray({ limit: 10 }))
    expect(error).toMatchObject({ code: 'not_cached', next: { query: 'rust', cursor: expect.any(String) } })
    expect(idsOf((error as NotCachedError).items as { id: string }[])).toEqual(['1', '2', '3', '4'])
    expect(service.arrivals).toHaveLength(2)
  })

  it('does not wait for an equal call in flight, nor takes its request', async () => {
    service.script(slow(1000))
    const { client } = cached()
    const paid = client.microblog.search(query).then()
    const { error, ms } = await settle(client.microblog.search(query, only))
    expect([error, ms]).toMatchObject([{ code: 'not_cached' }, 0])
    expect((await settle(paid)).value).toMatchObject({ requestId: 'req_1' })
    expect(service.arrivals).toHaveLength(1)
  })

  it('fails when its store fails, and sends nothing', async () => {
    const broken = () => Promise.reject(new Error('disk'))
    const { client } = cached({}, { get: broken, set: broken, delete: broken })
    const { error } = await settle(client.microblog.search(query, only))
    expect(error).toBeInstanceOf(NotCachedError)
    expect(service.arrivals).toHaveLength(0)
  })

  it('fails with the reason of its signal when that is aborted', async () => {
    const reason = new Error('enough')
    const options = { ...only, signal: AbortSignal.abort(reason) }
    expect((await settle(cached().client.microblog.search(query, options))).error).toBe(reason)
  })

  it('is refused by a client without a cache, and sends nothing', async () => {
    const client = makeClient()
    for (const call of [() => client.microblog.search(query, only), () => client.mentions.list({}, only)]) {
      const { error } = await settle<unknown>(call())
      expect(error).toBeInstanceOf(ConfigurationError)
      expect((error as Error).message).toContain("cache: 'only' requires a client with a cache")
    }
    expect(service.arrivals).toHaveLength(0)
    expect((await settle(client.close())).error).toBeUndefined()
  })
})
