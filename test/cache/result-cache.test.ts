import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { CreditBudget, InvalidResponseError } from '../../src/index.ts'
import { ResultCache } from '../../src/extensions/cache/index.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { page, networkPosts } from '../support/pages.ts'
import { makeClient, ok, scriptedService } from '../support/service.ts'
import { idsOf, threePages, query } from '../support/search.ts'
import { cached, minute } from './cached.ts'

const service = scriptedService()
virtualTime()

describe('ResultCache', () => {
  it('answers an equal call without a request, slot or credit, until maxAge', async () => {
    service.script(() => ok())
    const { client } = cached()
    await settle(client.microblog.search({ query: 'rust', count: 5 }))
    await pass(59_000)
    const { value, ms } = await settle(client.microblog.search({ count: 5, query: 'rust' }).withResponse())
    expect(value).toMatchObject({ requestId: 'req_1', attempts: [], credits: { spent: 0, uncertain: 0 } })
    expect(value?.cached).toEqual({ at: new Date(Date.UTC(2026, 10, 20)), age: 59_000, saved: 2 })
    expect(await value?.response.json()).toEqual(page(['1']))
    expect(ms).toBe(0)
    expect(client.credits).toMatchObject({ spent: 2, saved: 2 })
    await pass(1001)
    const late = await settle(client.microblog.search({ query: 'rust', count: 5 }).withResponse())
    expect(late.value).toMatchObject({ credits: { spent: 2 }, cached: undefined })
    expect(service.arrivals).toHaveLength(2)
  })

  it('needs neither a slot nor a free minute nor a budget when it has the answer', async () => {
    service.script(() => ok())
    const { client } = cached({ limits: { perMinute: 1 } })
    await settle(client.microblog.search(query))
    const budget = new CreditBudget(0)
    const hits = Array.from({ length: 50 }, () => client.microblog.search(query, { budget }))
    expect((await settle(Promise.all(hits))).ms).toBe(0)
    expect(client.status().surfaces).toMatchObject([{ waiting: 0 }])
    expect(budget.summary().spent).toBe(0)
  })

  it('gives the call that is sent the response with its headers', async () => {
    service.script(() =>
      ok(page(['1']), { headers: { 'content-type': 'application/json', 'x-served-by': 'a' } }),
    )
    const { value } = await settle(cached().client.microblog.search(query).withResponse())
    expect(value?.response.headers.get('x-served-by')).toBe('a')
  })

  it('gives each call a copy of the answer', async () => {
    service.script(() => ok())
    const { client } = cached()
    const both = [client.microblog.search(query), client.microblog.search(query)]
    const { value } = await settle(Promise.all(both))
    value![0]!.posts.length = 0
    expect(idsOf(value![1]!.posts)).toEqual(['1'])
    expect(idsOf((await client.microblog.search(query)).posts)).toEqual(['1'])
  })

  it('keeps answers of other params, operations, organizations and base URLs apart', async () => {
    service.script(() => ok())
    const { cache, client } = cached({ organization: 'one' })
    const other = makeClient({ cache, organization: 'two' })
    const elsewhere = makeClient({ cache, organization: 'one', baseUrl: 'https://api.example/v1/other' })
    const key = makeClient({ cache, organization: undefined })
    for (const each of [client, other, elsewhere, key]) await settle(each.microblog.search(query))
    await settle(client.microblog.search({ query: 'go' }))
    await settle(client.technews.search(query))
    expect(service.arrivals).toHaveLength(6)
  })

  it('must be one: a client refuses another object, which would never answer', () => {
    const others = [{}, new Map(), true, { connect: () => ({}) }, { get: () => {}, set: () => {} }] as never[]
    const message = /^cache must be a ResultCache of social-search-sdk\/cache, got/
    for (const cache of others) expect(() => makeClient({ cache })).toThrow(message)
  })

  it('rejects a call when neither a label nor a key tells the organization', async () => {
    const { client } = cached({ organization: undefined, apiKey: () => 'org_live_5f2b8c1d9e' })
    const { error } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ code: 'configuration', message: expect.stringContaining('organization') })
  })

  it('validates a stored answer by the options of each call', async () => {
    service.script(() => ok())
    const { client } = cached()
    const schema = z.object({ id: z.string().transform(Number) })
    await settle(client.microblog.search(query))
    const { value } = await settle(client.microblog.search(query, { schema }))
    expect(value?.posts).toEqual([{ id: 1 }])
    const { error } = await settle(client.microblog.search(query, { schema: z.object({ id: z.number() }) }))
    expect(error).toBeInstanceOf(InvalidResponseError)
    expect((error as InvalidResponseError).body).toHaveProperty('posts')
    expect(error).toMatchObject({ charged: 'no' })
    expect(service.arrivals).toHaveLength(1)
  })

  it('counts the cost of an answer that the schema of its call refuses in the error', async () => {
    service.script(() => ok())
    const schema = z.object({ id: z.number() })
    const { error } = await settle(cached().client.microblog.search(query, { schema }))
    expect(error).toMatchObject({ charged: 'yes', credits: { spent: 2 }, callId: expect.any(Number) })
  })

  it('drops the least recently used answer when maxEntries is reached', async () => {
    service.script(() => ok())
    const client = makeClient({ cache: new ResultCache({ maxAge: minute, maxEntries: 2 }) })
    for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) await settle(client.microblog.search({ query: text }))
    const queries = service.arrivals.map(({ body }) => (JSON.parse(body) as { query: string }).query)
    expect(queries).toEqual(['a', 'b', 'c', 'b'])
  })

  it.each([
    {},
    { maxAge: 0 },
    { maxAge: 1, maxEntries: 0 },
    { maxAge: 1, store: {} },
    { maxAge: 1, size: 1 },
  ])('refuses %j when constructed', (options) =>
    expect(() => new ResultCache(options as never)).toThrow(/maxAge|maxEntries|store|size/),
  )
})

describe('the option cache of a call', () => {
  it('bounds the age, refreshes, or bypasses the cache', async () => {
    service.script(...['1', '2', '3', '4'].map((id) => ok(page([id]))))
    const { client } = cached()
    const ask = async (cache?: { maxAge: number } | false | 'refresh') =>
      idsOf((await settle(client.microblog.search(query, { cache }))).value!.posts)
    expect(await ask()).toEqual(['1'])
    await pass(2000)
    expect(await ask({ maxAge: 2000 })).toEqual(['1'])
    expect(await ask({ maxAge: 1999 })).toEqual(['2'])
    expect(await ask(false)).toEqual(['3'])
    expect(await ask()).toEqual(['2'])
    expect(await ask('refresh')).toEqual(['4'])
    expect(await ask()).toEqual(['4'])
  })

  it.each(['refresh', { maxAge: 0 }] as const)(
    'fetches each page of a walk with %j, also when its first page is the same',
    async (option) => {
      service.script(...threePages(), ...threePages())
      const { walk } = cached()
      await walk()
      expect(await walk(option)).toEqual(['1', '2', '3', '4', '5'])
      expect(service.arrivals).toHaveLength(6)
    },
  )

  it('never mixes pages of two walks, even with the same cursor', async () => {
    service.script(...threePages(), ok(page(['0', '1'], 'A')), ok(page(['2', '3'])))
    const { walk } = cached()
    await walk()
    for (const option of ['refresh', undefined] as const)
      expect(await walk(option)).toEqual(['0', '1', '2', '3'])
    expect(service.arrivals).toHaveLength(5)
  })

  it('never mixes numbered pages of two walks', async () => {
    const script = (...pages: string[][]) => pages.map((urns, index) => ok(networkPosts(index + 1, ...urns)))
    service.script(...script(['a'], ['b'], []), ...script(['z'], ['a'], ['b'], []))
    const { client } = cached()
    const walk = (cache?: 'refresh') =>
      settle(client.professionalnet.posts.search(query, { cache }).toArray({ limit: 9 }))
    expect((await walk()).value).toHaveLength(2)
    expect((await walk('refresh')).value?.map(({ urn }) => urn)).toEqual(['z', 'a', 'b'])
    expect((await walk()).value).toHaveLength(3)
    expect(service.arrivals).toHaveLength(7)
  })
})
