import { afterEach, describe, expect, it, vi } from 'vitest'
import type { WatchOptions, WatchState } from '../../src/extensions/watch/index.ts'
import { page } from '../support/pages.ts'
import { drain, newFeed, pollNetwork, range, setUp } from './helpers.ts'

afterEach(() => vi.useRealTimers())

const hour = 3_600_000
const now = Date.UTC(2026, 10, 27)

/** A feed of posts that were published a minute apart, up to now, and looks at it one after another. */
function setUpLooks(before: number, options: WatchOptions = {}) {
  vi.useFakeTimers({ toFake: ['Date'], now })
  const { feed, start } = setUp(before, { once: true, ...options })
  feed.start = now - before * 60_000
  let state: WatchState | null = null
  const found = new Set<number>()
  const look = async (more: WatchOptions = {}) => {
    const requests = feed.requests.length
    const { all, last } = await drain(start({ state, ...more }))
    for (const id of all) {
      expect(found).not.toContain(id)
      found.add(id)
    }
    state = last ?? state
    const isComplete = state?.spans.every(({ next }) => next === null)
    return { all, isComplete, pages: feed.requests.length - requests }
  }
  return { feed, look, found }
}

const end = () => Response.json(page([]))
/** An empty page that says that there is more. */
const more = (cursor = '') =>
  Response.json(page([], `${Number.parseFloat(cursor)}${' '.repeat(++spaces % 500)}`))
let spaces = 0

describe('watchSearch()', () => {
  it.each([
    ['say that there is more', more],
    ['say that they are the last', end],
  ])('keeps a gap whose pages are empty and %s, and fills it later', async (_, empty) => {
    const { feed, look, found } = setUpLooks(20)
    await look()
    feed.post(100)
    feed.onRequest = (cursor) => (cursor === undefined ? undefined : empty(cursor))
    for (let i = 0; i < 2; i++) expect(await look()).toMatchObject({ isComplete: false })
    feed.onRequest = () => undefined
    expect(await look()).toMatchObject({ isComplete: true })
    expect([...found].sort((a, b) => a - b)).toEqual(range(1, 120))
  })

  it('asks less and less often where known posts should follow, and after a day not again', async () => {
    const { feed, look } = setUpLooks(20)
    await look()
    feed.post(30)
    feed.onRequest = (cursor) => (cursor === undefined ? undefined : end())
    const asked = []
    for (let quarter = 0; quarter < 4 * 25; quarter++) {
      const { pages, isComplete } = await look()
      if (pages === 2) asked.push(quarter)
      expect(isComplete).toBe(quarter >= 128)
      vi.advanceTimersByTime(hour / 4)
    }
    expect(asked).toEqual([0, 1, 2, 4, 8, 16, 32, 64])
    vi.setSystemTime(now + 32 * hour)
    expect(await look()).toMatchObject({ isComplete: true, pages: 2 })
    expect(await look()).toMatchObject({ isComplete: true, pages: 1 })
  })

  it('fills the other gaps when one of them stays empty', async () => {
    const { feed, look, found } = setUpLooks(20, { maxPages: 2 })
    await look()
    for (let i = 0; i < 2; i++) {
      feed.post(60)
      await look()
    }
    const [silent] = feed.requests.slice(-1)
    expect(silent).toBeDefined()
    feed.onRequest = (cursor) => (cursor !== undefined && Number(cursor) > 80 ? end() : undefined)
    expect(await look({ maxPages: 10 })).toMatchObject({ isComplete: false })
    expect([...found].sort((a, b) => a - b)).toEqual([...range(1, 80), ...range(101, 140)])
    feed.onRequest = () => undefined
    expect(await look({ maxPages: 10 })).toMatchObject({ isComplete: true })
    expect(found.size).toBe(140)
  })

  it.each([
    ['empty', () => end()],
    ['empty, and says that there is more', () => more('1000')],
  ])('loses no gap when the newest page is %s', async (_, first) => {
    const { feed, look, found } = setUpLooks(20, { maxPages: 2 })
    await look()
    feed.post(60)
    await look()
    feed.onRequest = (cursor) => (cursor === undefined ? first() : undefined)
    await look()
    feed.onRequest = () => undefined
    await look({ maxPages: 10 })
    expect([...found].sort((a, b) => a - b)).toEqual(range(1, 80))
  })

  it('loses no gap when the newest page is short and says that it is the last', async () => {
    const { feed, look, found } = setUpLooks(20, { maxPages: 2 })
    await look()
    feed.post(60)
    await look()
    feed.post(30)
    feed.onRequest = (cursor) =>
      cursor === undefined ? Response.json(feed.page(feed.ids.slice(0, 3))) : undefined
    await look()
    feed.onRequest = () => undefined
    for (let i = 0; i < 2; i++) await look({ maxPages: 10 })
    expect([...found].sort((a, b) => a - b)).toEqual(range(1, 110))
  })

  it.each([
    ['known posts', 80],
    ['posts of the gap', 85],
    ['posts of the gap, then known ones', 90],
  ])('loses no gap when the newest page is an old one with %s', async (_, top) => {
    const { feed, look, found } = setUpLooks(80, { maxPages: 2 })
    await look()
    feed.post(60)
    const old = {
      ids: feed.page(
        range(top - 19, top)
          .reverse()
          .map(String),
      ),
    }
    await look()
    feed.onRequest = (cursor) => (cursor === undefined ? Response.json(old.ids) : undefined)
    await look({ maxPages: 1 })
    feed.onRequest = () => undefined
    for (let i = 0; i < 2; i++) await look({ maxPages: 10 })
    expect([...found].sort((a, b) => a - b)).toEqual(range(61, 140))
  })

  it('reads on below an empty page in the middle', async () => {
    const { feed, look } = setUpLooks(20)
    await look()
    feed.post(50)
    let empty = 0
    feed.onRequest = (cursor) => (cursor !== undefined && ++empty % 2 === 1 ? more(cursor) : undefined)
    expect(await look()).toMatchObject({ all: range(21, 70), isComplete: true, pages: 5 })
  })

  it.each([undefined, 'now' as const])(
    'reads no history when the first page ever is empty by mistake, from %s',
    async (from) => {
      const { feed, look, found } = setUpLooks(0, { from })
      feed.post(500)
      feed.start = now - 30 * 24 * hour
      for (const answer of [end, more]) {
        feed.onRequest = () => answer('1')
        expect((await look()).pages).toBeLessThanOrEqual(3)
      }
      feed.onRequest = () => undefined
      for (let i = 0; i < 10; i++) expect((await look()).pages).toBe(1)
      expect(found.size).toBe(from === 'now' ? 0 : 20)
    },
  )

  it.each([
    ['two posts', 2],
    ['one post', 1],
  ])('reads no history when the first page ever has only %s by mistake', async (_, count) => {
    const { feed, look, found } = setUpLooks(500)
    feed.onRequest = () => Response.json(feed.page(feed.ids.slice(0, count)))
    await look()
    feed.onRequest = () => undefined
    feed.post(2)
    for (let i = 0; i < 5; i++) expect((await look()).pages).toBe(1)
    expect([...found].sort((a, b) => a - b)).toEqual(range(501 - count, 502))
  })

  it('reads no history when every known post is gone', async () => {
    const { feed, look, found } = setUpLooks(500)
    await look()
    feed.post(5)
    for (let i = 0; i < 20; i++) feed.remove(5)
    for (let i = 0; i < 5; i++) expect((await look()).pages).toBe(1)
    expect([...found].sort((a, b) => a - b)).toEqual([...range(481, 500), ...range(501, 505)])
  })

  it('closes a gap above known posts that the service lists no more, within two nights', async () => {
    const { feed, look, found } = setUpLooks(3)
    await look()
    while (feed.entries.length > 0) feed.remove(0)
    feed.start = now
    feed.post(1)
    expect(await look()).toMatchObject({ all: [4], isComplete: false, pages: 1 })
    vi.advanceTimersByTime(24 * hour)
    feed.post(1)
    expect(await look()).toMatchObject({ all: [5], isComplete: true, pages: 1 })
    expect(found.size).toBe(5)
  })
})

describe('watchSearch() of the professional network', () => {
  it('takes no empty page for the end while known posts should follow', async () => {
    const feed = newFeed()
    feed.post(20)
    const first = await pollNetwork(feed, null)
    feed.post(90)
    feed.onRequest = (cursor) =>
      Number(cursor) >= 3
        ? Response.json({ ...page([]), meta: { returnedCount: 0, page: Number(cursor) } })
        : undefined
    const second = await pollNetwork(feed, first.state)
    feed.post(20)
    feed.onRequest = () => undefined
    const third = await pollNetwork(feed, second.state)
    expect([second.ids, third.ids]).toEqual([range(71, 110), [...range(21, 70), ...range(111, 130)]])
    expect(third.state.spans).toHaveLength(1)
  })
})
