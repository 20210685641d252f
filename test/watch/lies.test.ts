import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { WatchOptions } from '../../src/extensions/watch/index.ts'
import { failure } from '../support/service.ts'
import { page } from '../support/pages.ts'
import { type Network, type World, hour, listed, minute, now, setUpChecks, sorted, truth } from './checks.ts'
import type { Feed } from './feed.ts'
import { range } from './helpers.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now }))
afterEach(() => void vi.useRealTimers())

const end = () => Response.json(page([]))
let spaces = 0
/** An empty page that says that there is more. */
const more = (cursor = '') =>
  Response.json(page([], `${Number.parseFloat(cursor)}${' '.repeat(++spaces % 500)}`))
const top = (feed: Feed, count = 20, next = feed.entries[19]?.rank.toString()) =>
  Response.json(feed.page(feed.ids.slice(0, count), next))

/** After a first look at 20 posts something happens, then the service is honest: each post is found once. */
function findsAll(
  what: string,
  options: WatchOptions,
  happens: (world: World) => unknown,
  network?: Network,
): void {
  it(what, async () => {
    const world = setUpChecks(20, options, network)
    await world.check()
    await happens(world)
    world.all(truth)
    await world.check({ maxPages: 30 })
    expect(await world.check({ maxPages: 30 })).toEqual([])
    expect(sorted(world.found)).toEqual(range(1, world.feed.entries.length))
  })
}

/** The same of a gap that stays in two nights. */
const staysTwoNights = (what: string, lie: (world: World) => void) =>
  findsAll(`keeps a gap whose page is empty in two nights${what}`, {}, async (world) => {
    const { feed, check, lost } = world
    feed.post(280)
    await check()
    for (let night = 0; night < 2; night++) {
      vi.advanceTimersByTime(21 * hour)
      lie(world)
      const gaps = await check()
      expect([gaps.length, lost(gaps)]).toEqual([1, []])
    }
    vi.advanceTimersByTime(21 * hour)
  })

describe('watchSearch()', () => {
  for (const [said, empty] of Object.entries({ 'there is more': more, 'they are the last': end }))
    findsAll(`keeps a gap whose pages are empty and say that ${said}`, {}, async ({ feed, check, later }) => {
      feed.post(100)
      later(empty)
      for (let i = 0; i < 2; i++) expect(await check()).toHaveLength(1)
    })

  for (const [said, next] of Object.entries({ more: (at?: string) => at, 'no more': truth }))
    staysTwoNights(`, and says that there is ${said}`, ({ all, later }) =>
      later((cursor) => (all(truth), Response.json(page([], next(cursor))))),
    )
  staysTwoNights(', however many empty pages a night has', ({ later }) => later(more))

  findsAll(
    'keeps a gap when the service forgets its place, and then lists nothing above known posts, for days',
    { maxPages: 2 },
    async ({ feed, check, later, lost }) => {
      feed.post(60)
      await check()
      const moved = () => (feed.post(1), top(feed))
      for (const answer of [end, end, moved, end, end]) {
        vi.advanceTimersByTime(17 * hour)
        later(answer)
        expect(lost(await check())).toEqual([])
      }
      vi.advanceTimersByTime(17 * hour)
    },
  )

  const forgetful: Record<string, (world: World) => void> = {
    '': ({ feed, all }) => all(() => top(feed)),
    ', and names that cursor again': ({ feed, all, later }) =>
      later((cursor) => (all(truth), top(feed, 20, cursor))),
  }
  for (const [named, answer] of Object.entries(forgetful))
    findsAll(
      `puts a page where its times are when the service answers an old cursor with the newest page${named}`,
      { maxPages: 1 },
      async (world) => {
        world.feed.post(60)
        await world.check()
        world.feed.post(60)
        answer(world)
        for (let looks = 0; looks < 4; looks++) expect(world.lost(await world.check())).toEqual([])
      },
    )

  it('fills a gap whose cursor the service answers with the newest page for good', async () => {
    const { feed, check, later, found } = setUpChecks(20)
    await check()
    feed.post(60)
    await check({ maxPages: 1 })
    later((cursor) => (cursor === '61' ? (feed.post(1), top(feed)) : undefined))
    expect([await check(), sorted(found)]).toEqual([[], range(1, 81)])
  })

  findsAll(
    'looks for each gap from a page of its own when the service forgets where two of them begin',
    {},
    async ({ feed, check, all, lost }) => {
      feed.post(60)
      await check({ maxPages: 1 })
      feed.post(30)
      const asked: unknown[] = []
      all((cursor) => {
        asked.push(cursor)
        if (asked.length === 3) return (feed.post(40), top(feed))
        return asked.length === 4 ? failure(400, 'bad_request') : undefined
      })
      expect(lost(await check())).toEqual([])
      expect(asked.slice(0, 5)).toEqual([undefined, '91', '61', '131', undefined])
    },
  )

  findsAll(
    'fills the other gaps when one of them stays empty',
    { maxPages: 2 },
    async ({ feed, check, later, found }) => {
      for (let i = 0; i < 2; i++) {
        feed.post(60)
        await check()
      }
      later((cursor) => (Number(cursor) > 80 ? end() : undefined))
      expect(await check({ maxPages: 10 })).toHaveLength(1)
      expect(sorted(found)).toEqual([...range(1, 80), ...range(101, 140)])
    },
  )

  for (const [how, answer, posts = 0] of [
    ['empty', end],
    ['empty, and says that there is more', () => more('1000')],
    [
      'short and says that it is the last',
      (feed: Feed) => Response.json(feed.page(feed.ids.slice(0, 3))),
      30,
    ],
    ['an old one with known posts', (feed: Feed) => Response.json(feed.page(listed(1, 20)))],
    ['an old one with posts of the gap', (feed: Feed) => Response.json(feed.page(listed(6, 25)))],
    [
      'an old one with posts of the gap, then known ones',
      (feed: Feed) => Response.json(feed.page(listed(11, 30))),
    ],
  ] as const)
    findsAll(`loses no gap when the newest page is ${how}`, { maxPages: 2 }, async (world) => {
      const { feed, check, newest } = world
      feed.post(60)
      await check()
      feed.post(posts)
      newest(() => answer(feed))
      await check()
    })

  findsAll(
    'asks again for a page that says that there is more, but not where',
    {},
    async ({ feed, check, all }) => {
      feed.post(1600)
      let pages = 0
      all((cursor) => {
        if (++pages !== 74) return undefined
        const meta = { returnedCount: 20, hasMore: true }
        return Response.json({ ...feed.page(feed.after(cursor).slice(0, 20)), meta })
      })
      for (let gaps = await check(); gaps.length > 0 && pages < 400;) gaps = await check()
      expect(feed.requests.length).toBeLessThanOrEqual(95)
    },
  )

  findsAll(
    'loses no post outside a gap when more than a page of new ones shifts the pages of a gap',
    { maxPages: 1 },
    async ({ feed, check, lost }) => {
      for (const posts of [0, 60, 60, 60, 0, 0, 60, 0]) {
        feed.post(posts)
        expect(lost(await check())).toEqual([])
      }
    },
    'professionalnet',
  )

  findsAll(
    'takes no empty numbered page for the end while known posts should follow',
    {},
    async ({ feed, check, later }) => {
      feed.post(90)
      later((number) => {
        const meta = { returnedCount: 0, page: Number(number) }
        return Number(number) >= 3 ? Response.json({ ...page([]), meta }) : undefined
      })
      await check()
      feed.post(20)
    },
    'professionalnet',
  )

  it('asks less and less often where known posts should follow, and after a day not again', async () => {
    const { feed, check, later, pagesOf } = setUpChecks(20)
    await check()
    feed.post(30)
    later(end)
    const asked = []
    for (let quarter = 0; quarter < 4 * 25; quarter++) {
      const { length } = feed.requests
      expect(await check()).toHaveLength(1)
      if (feed.requests.length === length + 2) asked.push(quarter)
      vi.advanceTimersByTime(hour / 4)
    }
    expect(asked).toEqual([0, 1, 2, 4, 8, 16, 32, 64])
    vi.setSystemTime(now + 32 * hour)
    expect([await pagesOf(), await check(), await pagesOf()]).toEqual([2, [], 1])
  })

  it('reads on below an empty page in the middle', async () => {
    const { feed, check, later, pagesOf, found } = setUpChecks(20)
    await check()
    feed.post(50)
    let asked = 0
    later((cursor) => (++asked % 2 === 1 ? more(cursor) : undefined))
    expect(await pagesOf()).toBe(5)
    expect(sorted(found)).toEqual(range(1, 70))
  })

  it('closes a gap above known posts that the service lists no more, within two nights', async () => {
    const { feed, check, found, pagesOf } = setUpChecks(3)
    await check()
    while (feed.entries.length > 0) feed.remove(0)
    feed.start = now
    feed.post(1)
    expect(await check()).toHaveLength(1)
    vi.advanceTimersByTime(24 * hour)
    feed.post(1)
    expect(await pagesOf()).toBe(1)
    expect([await check(), sorted(found)]).toEqual([[], range(1, 5)])
  })

  it('closes such a gap in the nights after the clock of its first check was set back', async () => {
    const { feed, check } = setUpChecks(3)
    await check()
    while (feed.entries.length > 0) feed.remove(0)
    feed.start = now
    feed.post(1)
    vi.setSystemTime(Date.now() + 30 * 24 * hour)
    expect(await check()).toHaveLength(1)
    vi.setSystemTime(Date.now() - 30 * 24 * hour)
    for (let night = 0; night < 4; night++) {
      vi.advanceTimersByTime(24 * hour)
      await check()
    }
    expect(await check()).toEqual([])
  })

  const readsNoHistory = (
    when: string,
    options: WatchOptions,
    happens: (world: World) => unknown,
    expected: number[],
  ) =>
    it(`reads no history when ${when}`, async () => {
      const world = setUpChecks(500, options)
      await happens(world)
      world.all(truth)
      for (let i = 0; i < 10; i++) expect(await world.pagesOf()).toBe(1)
      expect(sorted(world.found)).toEqual(expected)
    })

  for (const from of [undefined, 'now'] as const)
    readsNoHistory(
      `the first page ever is empty by mistake, from ${from}`,
      { from },
      async ({ feed, all, pagesOf }) => {
        feed.start = now - 30 * 24 * hour
        for (const answer of [end, more]) {
          all(() => answer('1'))
          expect(await pagesOf()).toBeLessThanOrEqual(3)
        }
      },
      from === 'now' ? [] : range(481, 500),
    )
  for (const count of [1, 2])
    readsNoHistory(
      `the first page ever has only ${count} of its posts by mistake`,
      {},
      async ({ feed, all, check }) => {
        all(() => top(feed, count, ''))
        await check()
        feed.post(2)
      },
      range(501 - count, 502),
    )
  readsNoHistory(
    'every known post is gone',
    {},
    async ({ feed, check }) => {
      await check()
      feed.post(5)
      for (let i = 0; i < 20; i++) feed.remove(5)
    },
    range(481, 505),
  )

  it('starts with `from: now` at the first check, even if it fails', async () => {
    const { feed, all, check, found } = setUpChecks(100, { from: 'now', retry: false })
    feed.start -= 2 * hour
    all(() => failure(502, 'upstream_error'))
    await check()
    vi.advanceTimersByTime(12 * hour)
    feed.start += 14 * hour - 50 * minute
    feed.post(50)
    for (const entry of feed.entries.slice(50)) entry.rank -= 20 * 60
    all(truth)
    expect([await check(), sorted(found)]).toEqual([[], range(101, 150)])
  })

  it('keeps the gap of a search without posts at first when its next page is empty', async () => {
    const { feed, check, all, later, found } = setUpChecks(0)
    expect(await check()).toEqual([])
    vi.advanceTimersByTime(5 * hour)
    feed.post(100)
    later(end)
    expect(await check()).toHaveLength(1)
    all(truth)
    expect([await check(), sorted(found)]).toEqual([[], range(1, 100)])
  })
})

/** The state of a watch that has read some posts and the first 20, and keeps of others in between only their times. */
