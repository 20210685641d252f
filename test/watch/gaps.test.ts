import { describe, expect, it } from 'vitest'
import {
  ConfigurationError,
  CreditBudget,
  CreditBudgetError,
  PaginationError,
  UpstreamError,
  ValidationError,
} from '../../src/index.ts'
import { type WatchOptions, type WatchState, watchSearch } from '../../src/extensions/watch/index.ts'
import { failure } from '../support/service.ts'
import { page } from '../support/pages.ts'
import type { Feed } from './feed.ts'
import { drain, idsOf, newFeed, next, pollNetwork, range, setUp } from './helpers.ts'

const hasMore = { returnedCount: 20, hasMore: true }

/** The state of a watch after so many nights, each with 70 new posts, of which it reads 40. */
async function afterNights(nights: number, { feed, start }: ReturnType<typeof setUp>): Promise<WatchState> {
  let { state } = await next(start())
  for (let night = 0; night < nights; night++) {
    feed.post(70)
    state = (await drain(start({ state }))).last ?? state
  }
  return state
}

describe('watchSearch()', () => {
  it('fills the gap that maxPages has left, after the newest posts, also in another process', async () => {
    const { feed, batches, start } = setUp(30, { maxPages: 2 })
    await next(batches)
    feed.post(60)
    expect(idsOf(await next(batches))).toEqual(range(71, 90))
    const { posts, state, gaps, hasGapToFill } = await next(batches)
    expect([posts[0]?.id, posts.at(-1)?.id, gaps.length, hasGapToFill]).toEqual(['51', '70', 1, true])
    feed.post(1)
    const later = start({ state: JSON.parse(JSON.stringify(state)) })
    expect(idsOf(await next(later))).toEqual([91])
    expect(idsOf(await next(later))).toEqual(range(31, 50))
    expect(await next(later)).toMatchObject({ posts: [], gaps: [{}] })
    const { posts: rest, gaps: left, hasGapToFill: isLeft } = await next(later)
    expect([rest, left, isLeft]).toEqual([[], [], false])
    expect(feed.requests).toHaveLength(7)
  })

  it('says when the missing posts were published', async () => {
    const world = setUp(30, { once: true, maxPages: 2 })
    const { feed, start } = world
    const state = await afterNights(2, world)
    feed.post(5)
    const [times, known] = [[] as unknown[], new Set(state.spans.flatMap(({ ids }) => ids))]
    for await (const { posts, gaps } of start({ state, maxPages: 20 })) {
      for (const { id } of posts) known.add(id)
      const missing = [...feed.ids].filter((id) => Number(id) > 30 && !known.has(id))
      // The posts above and below each run of missing posts.
      const edges = feed.ids.flatMap((id, index) => {
        const [here, next] = [missing.includes(id), missing.includes(feed.ids[index + 1] ?? '')]
        return here === next ? [] : [feed.timeOf(here ? (feed.ids[index + 1] ?? '') : id)]
      })
      expect(gaps.flatMap(({ from, to }) => [to, from])).toEqual(edges)
      times.push(gaps.length)
    }
    expect(times).toEqual([2, 2, 1, 1, 0])
  })

  it.each<[what: string, more: WatchOptions, answer: Feed['onRequest'], found: number[], error: unknown]>([
    ['a budget ends it', { budget: new CreditBudget(5) }, () => undefined, range(51, 90), CreditBudgetError],
    [
      'a later page fails',
      { retry: false },
      (cursor) => (cursor === undefined ? undefined : failure(502, 'upstream_error')),
      range(71, 90),
      UpstreamError,
    ],
    [
      'a page says that there is more, but not where',
      {},
      () => Response.json({ ...page(range(71, 90).toReversed().map(String)), meta: hasMore }),
      range(71, 90),
      PaginationError,
    ],
  ])(
    'yields the bought posts of a check when %s, then throws, and the next run continues',
    async (_, more, answer, found, error) => {
      const { feed, start } = setUp(30, { once: true })
      const { state } = await next(start())
      feed.post(60)
      feed.onRequest = answer
      const first = await drain(start({ state, ...more }))
      expect([first.all, first.error]).toEqual([found, expect.any(error)])
      feed.onRequest = () => undefined
      const rest = await drain(start({ state: first.last }))
      expect([rest.all, rest.error]).toEqual([range(31, (found[0] ?? 0) - 1), undefined])
      expect(rest.last?.spans.map(({ next }) => next)).toEqual([null])
    },
  )

  it('fills a gap from the newest post down when the service refuses its old cursor', async () => {
    const { feed, start } = setUp(30, { once: true, maxPages: 1 })
    const { state } = await next(start())
    feed.post(50)
    const { last } = await drain(start({ state }))
    feed.post(3)
    let isRefused = false
    feed.onRequest = (cursor) => {
      if (cursor === undefined || isRefused) return undefined
      isRefused = true
      return failure(400, 'validation_error')
    }
    const { all, error, last: end } = await drain(start({ state: last, maxPages: 10 }))
    expect([all, error]).toEqual([range(31, 60).concat(81, 82, 83), undefined])
    expect(end?.spans).toHaveLength(1)
  })

  it('reads each span above a gap once when the service refuses the old cursors of many', async () => {
    const world = setUp(30, { once: true, maxPages: 2 })
    const { feed, start } = world
    const state = await afterNights(4, world)
    feed.post(1)
    const old = state.spans.map(({ next }) => (next as { cursor?: string } | null)?.cursor)
    feed.onRequest = (cursor) =>
      cursor !== undefined && old.includes(cursor) ? failure(400, 'validation_error') : undefined
    const { length } = feed.requests
    const { all, last } = await drain(start({ state, maxPages: 100 }))
    expect([all.length, last?.spans.length]).toEqual([1 + 4 * 30, 1])
    expect(feed.requests.length - length).toBeLessThanOrEqual(19)
  })

  it('throws when the service refuses the newest page', async () => {
    const { feed, start } = setUp(30, { once: true })
    feed.onRequest = () => failure(400, 'validation_error')
    expect((await drain(start())).error).toBeInstanceOf(ValidationError)
    expect(feed.requests).toHaveLength(1)
  })

  it('fills several gaps, the newest first', async () => {
    const world = setUp(30, { once: true, maxPages: 2 })
    const state = await afterNights(3, world)
    const batches: number[][] = []
    for await (const batch of world.start({ state, maxPages: 20 })) batches.push(idsOf(batch))
    expect(batches.filter((ids) => ids.length > 0).map(([first]) => first)).toEqual([
      181, 171, 111, 101, 41, 31,
    ])
    expect(new Set(batches.flat()).size).toBe(90)
  })

  it('fills gaps with checks of one page, and finds new posts in between', async () => {
    const { feed, start } = setUp(20, { once: true, maxPages: 1 })
    let state: WatchState | undefined
    const found: number[] = []
    for (let look = 0; look < 9; look++) {
      if (look === 1) feed.post(70)
      if (look === 4) feed.post(5)
      const { all, last } = await drain(start({ state }))
      found.push(...all)
      state = last
    }
    expect([found.sort((a, b) => a - b), state?.spans.length]).toEqual([range(1, 95), 1])
    expect(feed.requests).toHaveLength(9)
  })

  it('keeps a bounded number of gaps, and misses no post', async () => {
    const { feed, start } = setUp(30, { once: true, maxPages: 2 })
    let { state } = await next(start())
    const stored = new Set<number>()
    for (let night = 0; night < 30; night++) {
      feed.post(60)
      const { all, last } = await drain(start({ state }))
      all.forEach((id) => stored.add(id))
      state = last ?? state
    }
    expect(state.spans).toHaveLength(20)
    for (const id of (await drain(start({ state, maxPages: 100 }))).all) stored.add(id)
    expect([...stored].sort((a, b) => a - b)).toEqual(range(31, 1830))
  })
})

describe('watchSearch() of the professional network', () => {
  it('yields new posts once when new ones shift its numbered pages, and fills gaps', async () => {
    const feed = newFeed()
    feed.post(30)
    const first = await pollNetwork(feed, null, { maxPages: 1 })
    feed.post(50)
    const second = await pollNetwork(feed, first.state, { maxPages: 1 })
    feed.post(30)
    const third = await pollNetwork(feed, second.state, { maxPages: 10 })
    expect([first.ids, second.ids, third.ids]).toEqual([
      range(11, 30),
      range(61, 80),
      range(31, 60).concat(range(81, 110)),
    ])
    expect(third.state.spans).toHaveLength(1)
    expect(feed.bodies.map(({ page = 1 }) => page)).toEqual([1, 1, 1, 2, 3, 4, 5])
    expect(feed.bodies[0]).toEqual({ query: 'acme', sort_by: 'recent' })
  })

  it.each([{ page: 2 }, { sort_by: 'relevant' as const }])('refuses %o, and buys nothing', async (param) => {
    const feed = newFeed()
    const batches = watchSearch(feed.client.professionalnet.posts, { query: 'a', ...param } as {
      query: string
    })
    await expect(batches.next()).rejects.toThrow(ConfigurationError)
    expect(feed.requests).toEqual([])
  })
})

/** A feed of numbered pages of ten posts, and the state of a watch that has read the first page. */
async function started(posts: number) {
  const feed = newFeed()
  feed.pageSize = 10
  feed.post(posts)
  return { feed, state: (await pollNetwork(feed, null)).state }
}

describe('watchSearch() of short pages', () => {
  it('buys one page for each poll when all posts are known and fewer than the overlap', async () => {
    const { feed, state } = await started(6)
    expect((await pollNetwork(feed, state)).requests).toBe(1)
    feed.remove(2)
    expect((await pollNetwork(feed, state)).requests).toBe(1)
  })

  it('buys one page when one of ten known posts was removed, and yields no older post', async () => {
    const { feed, state } = await started(300)
    feed.remove(4)
    expect(await pollNetwork(feed, state)).toMatchObject({ requests: 1, ids: [] })
  })

  it('stops below as many known posts in a row as the overlap, also when they are on several pages', async () => {
    const { feed, start } = setUp(60, { once: true, overlap: 10 })
    const { last } = await drain(start())
    feed.pageSize = 5
    feed.post(3)
    const { length } = feed.requests
    expect((await drain(start({ state: last }))).all).toEqual([61, 62, 63])
    expect(feed.requests.length - length).toBe(3)
  })

  it('finds a late post on the second page when pages are shorter than the overlap', async () => {
    const { feed, start } = setUp(300, { once: true, overlap: 10 })
    const { last } = await drain(start())
    feed.pageSize = 5
    const late = Number(feed.insert(7))
    expect((await drain(start({ state: last }))).all).toEqual([late])
  })
})
