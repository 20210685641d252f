import { afterEach, describe, expect, it, vi } from 'vitest'
import { ConfigurationError } from '../../src/index.ts'
import { type WatchState, watchSearch } from '../../src/extensions/watch/index.ts'
import { failure } from '../support/service.ts'
import { page } from '../support/pages.ts'
import { settle, useVirtualTime } from '../support/clock.ts'
import { drain, idsOf, next, range, setUp } from './helpers.ts'

afterEach(() => vi.useRealTimers())

describe('watchSearch()', () => {
  it('yields the newest page first, then new posts, newest last', async () => {
    const { feed, batches } = setUp()
    const first = await next(batches)
    expect([idsOf(first), first.gaps]).toEqual([range(11, 30), []])
    feed.post(2)
    expect(idsOf(await next(batches))).toEqual([31, 32])
    expect(feed.bodies[0]).toEqual({ query: 'acme', category: 'Latest' })
  })

  it('pays for one page without new posts, and for more as far as there are new ones', async () => {
    const { feed, batches } = setUp(100)
    await next(batches)
    feed.post(3)
    await next(batches)
    expect(feed.requests).toHaveLength(2)
    feed.post(45)
    const pages = [await next(batches), await next(batches), await next(batches)]
    expect(pages.map((batch) => [...idsOf(batch), batch.gaps.length])).toEqual([
      [...range(129, 148), 1],
      [...range(109, 128), 1],
      [...range(104, 108), 0],
    ])
    expect(feed.requests).toHaveLength(5)
  })

  it('finds a post that appears below newer ones', async () => {
    const { feed, batches } = setUp()
    await next(batches)
    feed.insert(2)
    expect(idsOf(await next(batches))).toEqual([31])
  })

  it('omits posts that are older than every known post', async () => {
    const { feed, batches } = setUp(100)
    await next(batches)
    feed.post(12)
    expect(idsOf(await next(batches))).toEqual(range(101, 112))
    const { posts, gaps } = await next(batches)
    expect([posts, gaps]).toEqual([[], []])
    expect(feed.requests).toHaveLength(3)
  })

  it('yields a new post that ends a page and has an old time', async () => {
    const { feed, batches } = setUp(30)
    await next(batches)
    feed.post(20)
    const timeOf = feed.timeOf.bind(feed)
    feed.timeOf = (id) => (id === '31' ? '2026-01-01T00:00:00Z' : timeOf(id))
    expect(idsOf(await next(batches))).toEqual(range(31, 50))
  })

  it('counts known posts in a row, from the last new one on', async () => {
    const { feed, start } = setUp(100, { once: true, overlap: 10 })
    const { state } = await next(start())
    feed.post(15)
    const { last } = await drain(start({ state }))
    for (const position of [9, 18, 25]) feed.insert(position)
    expect((await drain(start({ state: last }))).all).toEqual([116, 117, 118])
  })

  it('yields a post once when new posts have moved it to the next page', async () => {
    const { feed, batches } = setUp(30)
    await next(batches)
    feed.post(20)
    feed.onRequest = (cursor) =>
      cursor === undefined ? undefined : Response.json(page(['31', ...feed.ids.slice(20, 35)]))
    expect(idsOf(await next(batches))).toEqual(range(31, 50))
    const { posts, gaps } = await next(batches)
    expect([posts, gaps]).toEqual([[], []])
  })

  it('checks once with `once`, and yields the state without new posts', async () => {
    const { feed, start } = setUp(30, { once: true })
    const first = await drain(start())
    const second = await drain(start({ state: first.last }))
    expect([first.all, second.all]).toEqual([range(11, 30), []])
    expect(second.last?.spans).toEqual(first.last?.spans)
    expect(feed.requests).toHaveLength(2)
  })

  const unknown = { times: null, newest: null, oldest: null, forgotten: null, silence: null }
  it.each([
    ['without', {}, {}],
    ['with null for', { pace: null, failedAt: null, isGapNext: null }, { ...unknown, isNextAbove: null }],
  ])('continues from a state %s a pace and times', async (_, ofState, ofSpans) => {
    const { feed, start } = setUp(30, { once: true, maxPages: 1 })
    const { last } = await drain(start())
    const { search, spans } = last as WatchState
    const old = { search, spans: spans.map(({ ids, next }) => ({ ids, next, ...ofSpans })), ...ofState }
    feed.post(25)
    const { state, gaps } = await next(start({ state: old as never }))
    expect(gaps).toEqual([{ from: null, to: feed.timeOf('36') }])
    expect((await drain(start({ state, maxPages: 10 }))).all).toEqual(range(31, 35))
  })

  it.each([undefined, 'now' as const])(
    'starts with an empty batch if there are no posts, so that later ones are all new, from %s',
    async (from) => {
      const { feed, batches } = setUp(0, { from })
      feed.start = Date.now()
      expect((await next(batches)).posts).toEqual([])
      feed.post(30)
      expect(idsOf(await next(batches))).toEqual(range(11, 30))
      expect(idsOf(await next(batches))).toEqual(range(1, 10))
    },
  )

  const [hours3, days2] = [3 * 3_600_000, 48 * 3_600_000]
  it.each([
    ['is ahead', undefined, [hours3, hours3]],
    ['is ahead', 'now', [hours3, hours3]],
    ['is ahead, and the first check fails', 'now', [hours3, hours3, hours3]],
    ['was ahead at first', undefined, [days2, 0]],
    ['was ahead at first', 'now', [days2, 0]],
  ] as const)(
    'yields all posts that come after an empty page when the clock %s, from %s',
    async (_, from, clocks) => {
      useVirtualTime()
      const { feed, start } = setUp(0, { from, once: true, retry: false })
      feed.start = Date.now()
      const all = []
      let state: WatchState | undefined
      for (const [run, ahead] of clocks.entries()) {
        vi.setSystemTime(feed.start + ahead)
        const left = clocks.length - run
        feed.onRequest = () => (left > 2 ? failure(503, 'service_unavailable') : undefined)
        if (left === 1) feed.post(30)
        const { value } = await settle(drain(start({ state })))
        all.push(...value!.all)
        state = value!.last
      }
      expect(all).toEqual(range(1, 30))
    },
  )

  it('checks every `minInterval`, 15 minutes by default, whether posts come or not', async () => {
    useVirtualTime()
    for (const minInterval of [undefined, 60_000]) {
      const { feed, batches } = setUp(30, { minInterval })
      const times: number[] = []
      const start = performance.now()
      feed.onRequest = () => void times.push(Math.round((performance.now() - start) / 60_000))
      for (let look = 0; look < 4; look++) {
        if (look === 2) feed.post(1)
        await settle(batches.next())
      }
      expect(times).toEqual(minInterval === undefined ? [0, 15, 30, 45] : [0, 1, 2, 3])
    }
  })

  it('ends with the reason of its signal, also while it waits', async () => {
    const end = new AbortController()
    const { batches } = setUp(30, { minInterval: 60_000, signal: end.signal })
    await next(batches)
    const waiting = batches.next()
    setTimeout(() => end.abort(new Error('enough')), 5)
    await expect(waiting).rejects.toThrow('enough')
  })

  it('keeps a bounded number of ids', async () => {
    const { feed, batches } = setUp(20, { maxPages: 60 })
    await next(batches)
    for (let n = 0; n < 3; n++) {
      feed.post(1100)
      let batch = await next(batches)
      while (batch.gaps.length > 0) batch = await next(batches)
      expect(batch.state.spans.flatMap(({ ids }) => ids).length).toBeLessThanOrEqual(2400)
    }
  })

  const saved = '{"category":"Latest","query":"a"}'
  const times = { times: ['a'], forgotten: [null], silence: {}, newest: 5, oldest: 5 }
  const wrong = { ids: [1], next: { page: '2' }, ...times }
  it.each<[string, object, object?]>([
    ['a cursor', {}, { query: 'a', cursor: 'b' }],
    ['another category', {}, { query: 'a', category: 'Top' }],
    ['a limit', { limit: 5 }],
    ['no time between checks', { minInterval: 0 }],
    ['an overlap beyond a page', { overlap: 21 }],
    ['an unknown option', { every: 5 }],
    ['another start', { from: 'then' }],
    ['another kind of once', { once: 1 }],
    ...Object.entries(wrong).map(([name, value]): [string, object] => [
      `a span with the ${name} of something else`,
      { state: { search: saved, spans: [{ ids: ['1'], next: null, [name]: value }] } },
    ]),
    ['a span with a forgotten number', { state: { search: saved, spans: [{ ids: ['1'], forgotten: [5] }] } }],
    ['a span without a post and a time', { state: { search: saved, spans: [{ ids: [], next: null }] } }],
    ['spans that are no list', { state: { search: saved, spans: {} } }],
    ['a state of something else', { state: { next: null } }],
    ['a pace of something else', { state: { search: '', spans: [], pace: { at: 1 } } }],
  ])('refuses %s, and buys nothing', async (_, options, params = { query: 'a' }) => {
    const { feed } = setUp()
    const batches = watchSearch(feed.client.microblog, params as { query: string }, options)
    await expect(batches.next()).rejects.toThrow(ConfigurationError)
    expect(feed.requests).toEqual([])
  })

  it('says what it needs when it gets a whole client', () => {
    const batches = watchSearch(setUp().feed.client as never, { query: 'a' })
    return expect(batches.next()).rejects.toThrow('the client of a watch must implement search()')
  })

  it('says how the search of a state differs from its own', () => {
    const { feed } = setUp()
    const state = { search: '{"category":"Latest","query":"b"}', spans: [] }
    const batches = watchSearch(feed.client.microblog, { query: 'a' }, { state })
    return expect(batches.next()).rejects.toThrow(
      'query is "b" in the state and "a" in the call; pass the old value, or no state',
    )
  })
})
