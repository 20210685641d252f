import { describe, expect, it } from 'vitest'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { networkPosts, page } from '../support/pages.ts'
import { idsOf, query } from '../support/search.ts'
import { ok, scriptedService, slow } from '../support/service.ts'
import { cached, mapStore } from './cached.ts'

const service = scriptedService()
virtualTime()

describe('search()', () => {
  it('of 99 equal calls succeeds when the timeout of the first one is short', async () => {
    service.script(slow(1000), ok())
    const { search } = cached().client.microblog
    const calls = Array.from({ length: 100 }, (_, i) => search(query, i === 0 ? { timeout: 50 } : {}).then())
    const { value = [] } = await settle(Promise.allSettled(calls))
    expect(value[0]).toMatchObject({ reason: { name: 'TimeoutError', charged: 'unknown' } })
    expect(value.filter(({ status }) => status === 'fulfilled')).toHaveLength(99)
    expect(service.arrivals).toHaveLength(2)
  })

  it('returns the answer at its deadline when the store hangs in delete()', async () => {
    service.script(ok(page(['1'], 'A')))
    const { client } = cached({}, { ...mapStore(), delete: () => new Promise(() => {}) })
    const { value, ms } = await settle(client.microblog.search(query, { deadline: 100 }))
    expect([value?.posts.length, ms]).toEqual([1, 100])
  })

  it('ends at its deadline when the store hangs in get(), and sends nothing', async () => {
    const { client } = cached({}, { ...mapStore(), get: () => new Promise(() => {}) })
    const outcome = await settle(client.microblog.search(query, { deadline: 100 }))
    expect(outcome).toMatchObject({ error: { code: 'timeout', charged: 'no' }, ms: 100 })
    expect(service.arrivals).toEqual([])
  })

  it('fetches anew when an equal call at the same time accepts an older answer', async () => {
    service.script(ok(), ok(page(['2'])))
    const { client } = cached()
    await settle(client.microblog.search(query))
    await pass(5000)
    const calls = [60_000, 1000].map((maxAge) => client.microblog.search(query, { cache: { maxAge } }))
    const { value } = await settle(Promise.all(calls))
    expect(value?.map(({ posts }) => idsOf(posts))).toEqual([['1'], ['2']])
  })

  it("fetches anew with 'refresh' while a slow store still takes the answer before", async () => {
    service.script(ok(), ok(page(['2'])))
    const store = mapStore()
    const { client } = cached({}, { ...store, set: () => new Promise(() => {}) })
    await settle(client.microblog.search(query))
    await pass(500)
    const { value } = await settle(client.microblog.search(query, { cache: 'refresh' }))
    expect(idsOf(value!.posts)).toEqual(['2'])
  })

  it('joins the request that began after an equal one was aborted', async () => {
    service.script(slow(1000))
    const { client } = cached()
    const abort = new AbortController()
    const aborted = client.microblog.search(query, { signal: abort.signal }).catch(() => {})
    await pass(500)
    abort.abort()
    await aborted
    const first = client.microblog.search(query).then()
    await pass(500)
    const { value } = await settle(Promise.all([first, client.microblog.search(query)]))
    expect(value?.map(({ posts }) => idsOf(posts))).toEqual([['1'], ['1']])
    expect(service.arrivals).toHaveLength(2)
  })

  it('is answered when it begins while an equal one is being aborted', async () => {
    for (let ticks = 0; ticks < 20; ticks++) {
      service.script(slow(1000))
      const { client } = cached()
      const abort = new AbortController()
      const aborted = client.microblog.search(query, { signal: abort.signal }).catch(() => {})
      await pass(500)
      abort.abort()
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
      const { value } = await settle(client.microblog.search(query))
      await aborted
      expect([ticks, value?.posts.length]).toEqual([ticks, 1])
    }
  })

  it('is answered by a stored page without a number when it asks for page 1', async () => {
    service.script(ok(networkPosts(1, 'a')))
    const { search } = cached().client.professionalnet.posts
    await settle(search(query))
    await settle(search({ ...query, page: 1 }))
    expect(service.arrivals).toHaveLength(1)
  })

  it('joins no request for the same cursor that began before its first page was fetched', async () => {
    service.script(
      ok(page(['1'], 'A')),
      slow(1000, () => ok(page(['2']))),
      ok(page(['0'], 'A')),
      ok(page(['1', '2'])),
    )
    const { client } = cached()
    const older = client.microblog.search(query).toArray({ limit: 9 })
    await pass(500)
    const newer = client.microblog.search(query, { cache: 'refresh' }).toArray({ limit: 9 })
    const { value } = await settle(Promise.all([older, newer]))
    expect(value?.map(idsOf)).toEqual([
      ['1', '2'],
      ['0', '1', '2'],
    ])
  })
})

it('mentions.setState() sends each of two equal calls, since it writes', async () => {
  service.script(slow(1000))
  const { mentions } = cached().client
  const write = () => mentions.setState('men_1', { state: 'seen' })
  await settle(Promise.all([write(), write()]))
  expect(service.arrivals).toHaveLength(2)
})
