import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  ConfigurationError,
  CreditBudget,
  CreditBudgetError,
  PaginationError,
  UpstreamError,
} from '../../src/index.ts'
import { type WatchBatch, type WatchOptions, watchSearch } from '../../src/watch/index.ts'
import { failure } from '../support/service.ts'
import { page } from '../support/pages.ts'
import { pass, settle, useVirtualTime } from '../support/clock.ts'
import { Feed } from './feed.ts'

afterEach(() => vi.useRealTimers())

let feeds = 0

function setUp(before = 30, options: WatchOptions = {}) {
  const feed = new Feed(`watch ${++feeds}`)
  feed.post(before)
  const start = (more: WatchOptions = {}) =>
    watchSearch(feed.client.microblog, { query: 'acme' }, { every: 1, maxEvery: 1, ...options, ...more })
  return { feed, start, batches: start() }
}

async function next(batches: AsyncGenerator<WatchBatch>): Promise<WatchBatch> {
  const { value } = await batches.next()
  return value as WatchBatch
}

const idsOf = ({ posts }: WatchBatch) => posts.map(({ id }) => Number(id))
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

describe('watchSearch()', () => {
  it('yields the newest page first, then new posts, newest last', async () => {
    const { feed, batches } = setUp()
    const first = await next(batches)
    expect([idsOf(first), first.gap]).toEqual([range(11, 30), null])
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
    expect(idsOf(await next(batches))).toEqual(range(104, 148))
    expect(feed.requests).toHaveLength(5)
  })

  it('continues from a stored state, and buys no known page again', async () => {
    const { feed, batches, start } = setUp()
    const { state } = await next(batches)
    feed.post(3)
    expect(idsOf(await next(start({ state: JSON.parse(JSON.stringify(state)) })))).toEqual([31, 32, 33])
    expect(feed.requests).toHaveLength(2)
  })

  it('finds a post that appears below newer ones', async () => {
    const { feed, batches } = setUp()
    await next(batches)
    feed.insert(9)
    expect(idsOf(await next(batches))).toEqual([31])
  })

  it('omits posts that are older than every known post', async () => {
    const { feed, batches } = setUp(100)
    await next(batches)
    feed.post(12)
    expect(idsOf(await next(batches))).toEqual(range(101, 112))
    expect(feed.requests).toHaveLength(3)
  })

  it('counts known posts in a row, from the last new one on', async () => {
    const { feed, batches } = setUp(100)
    await next(batches)
    feed.post(15)
    await next(batches)
    for (const position of [9, 18, 25]) feed.insert(position)
    expect(idsOf(await next(batches))).toEqual([118, 117, 116])
  })

  it('yields a post once when new posts have moved it to the next page', async () => {
    const { feed, batches } = setUp(30)
    await next(batches)
    feed.post(20)
    feed.onRequest = (cursor) =>
      cursor === undefined ? undefined : Response.json(page(['31', ...feed.ids.slice(20, 35)]))
    expect(idsOf(await next(batches))).toEqual(range(31, 50))
  })

  it('returns the params of the rest when maxPages ends a poll', async () => {
    const { feed, batches, start } = setUp(30, { maxPages: 2 })
    await next(batches)
    feed.post(60)
    const { posts, gap, state } = await next(batches)
    expect([posts[0]?.id, posts.at(-1)?.id]).toEqual(['51', '90'])
    const rest: string[] = []
    for await (const page of feed.client.microblog.search(gap?.next ?? { query: '' }).pages()) {
      const missed = page.posts.filter(({ id }) => !state.ids.includes(id))
      if (missed.length === 0) break
      rest.push(...missed.map(({ id }) => id))
    }
    expect(rest.map(Number).reverse()).toEqual(range(31, 50))
    feed.post(1)
    const after = await next(start({ state }))
    expect([idsOf(after), after.gap]).toEqual([[91], null])
  })

  it('yields the bought posts when a budget ends a poll, then throws', async () => {
    const budget = new CreditBudget(6)
    const { feed, batches } = setUp(30, { budget })
    await next(batches)
    feed.post(60)
    const batch = await next(batches)
    expect(idsOf(batch)).toEqual(range(51, 90))
    expect(feed.after(batch.gap?.next.cursor)[0]).toBe('50')
    await expect(batches.next()).rejects.toThrow(CreditBudgetError)
    expect(budget.remaining).toBe(0)
  })

  it('yields the bought posts when a later page fails, then throws', async () => {
    const { feed, batches } = setUp(30, { retry: false })
    await next(batches)
    feed.post(60)
    feed.onRequest = (cursor) => (cursor === undefined ? undefined : failure(502, 'upstream_error'))
    const batch = await next(batches)
    expect(idsOf(batch)).toEqual(range(71, 90))
    expect(feed.after(batch.gap?.next.cursor)[0]).toBe('70')
    await expect(batches.next()).rejects.toThrow(UpstreamError)
  })

  it('begins the gap at the newest posts when a poll fails on a page without a next one', async () => {
    const { feed, batches } = setUp(30)
    await next(batches)
    feed.post(60)
    const meta = { returnedCount: 20, hasMore: true }
    feed.onRequest = () => Response.json({ ...page(feed.ids.slice(0, 20)), meta })
    const batch = await next(batches)
    expect(idsOf(batch)).toEqual(range(71, 90))
    expect(batch.gap).toEqual({ next: { query: 'acme', category: 'Latest' } })
    await expect(batches.next()).rejects.toThrow(PaginationError)
  })

  it('starts with an empty batch if there are no posts, so that later ones are all new', async () => {
    const { feed, batches } = setUp(0)
    const { state, posts } = await next(batches)
    expect([posts, state.ids]).toEqual([[], []])
    feed.post(30)
    expect(idsOf(await next(batches))).toEqual(range(1, 30))
  })

  it('doubles the wait without new posts, up to maxEvery, and returns to every', async () => {
    useVirtualTime()
    const { feed, batches } = setUp(30, { every: 1000, maxEvery: 5000 })
    await settle(batches.next())
    const coming = next(batches)
    const times: number[] = []
    const start = performance.now()
    feed.onRequest = () => void times.push(Math.round((performance.now() - start) / 1000))
    await pass(20_000)
    expect(times).toEqual([1, 3, 7, 12, 17])
    feed.post(1)
    await pass(3000)
    await coming
    const later = batches.next()
    await pass(1500)
    expect(times.slice(5)).toEqual([22, 24])
    feed.post(1)
    await pass(5000)
    await later
  })

  it('ends with the reason of its signal, also while it waits', async () => {
    const end = new AbortController()
    const { batches } = setUp(30, { every: 60_000, maxEvery: 60_000, signal: end.signal })
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
      const { state } = await next(batches)
      expect(state.ids.length).toBeLessThanOrEqual(2400)
    }
  })

  it.each<[string, object, object?]>([
    ['a cursor', {}, { query: 'a', cursor: 'b' }],
    ['another category', {}, { query: 'a', category: 'Top' }],
    ['a limit', { limit: 5 }],
    ['no time between polls', { every: 0 }],
    ['a maxEvery below every', { every: 10, maxEvery: 5 }],
    ['an overlap beyond a page', { overlap: 21 }],
    ['an unknown option', { evry: 5 }],
    ['the state of another search', { state: { search: '{"query":"b"}', ids: [] } }],
    ['a state of something else', { state: { next: null } }],
  ])('refuses %s, and buys nothing', async (_, options, params = { query: 'a' }) => {
    const { feed } = setUp()
    const batches = watchSearch(feed.client.microblog, params as { query: string }, options)
    await expect(batches.next()).rejects.toThrow(ConfigurationError)
    expect(feed.requests).toEqual([])
  })
})
