import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type WatchGap,
  type WatchOptions,
  type WatchState,
  watchSearch,
} from '../../src/extensions/watch/index.ts'
import { failure } from '../support/service.ts'
import { page } from '../support/pages.ts'
import type { Feed } from './feed.ts'
import { range, setUp } from './helpers.ts'

const [minute, hour] = [60_000, 3_600_000]
const start = Date.UTC(2026, 10, 20)

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: start }))
afterEach(() => void vi.useRealTimers())

const idOf = (post: { id: string } | { urn: string }) => Number('urn' in post ? post.urn : post.id)

/** A feed that begins now, a post a minute, and checks of it from one stored state to the next. */
function setUpChecks(
  before: number,
  options: WatchOptions = {},
  network: 'microblog' | 'professionalnet' = 'microblog',
) {
  const { feed } = setUp(before)
  const { microblog, professionalnet } = feed.client
  const watch = (more: WatchOptions) =>
    network === 'microblog'
      ? watchSearch(microblog, { query: 'acme' }, { once: true, ...options, ...more })
      : watchSearch(professionalnet.posts, { query: 'acme' }, { once: true, ...options, ...more })
  feed.start = start - before * minute
  let state: WatchState | null = null
  const found: number[] = []
  const known = new Set<number>()
  const check = async (more: WatchOptions = {}): Promise<readonly WatchGap[]> => {
    let gaps: readonly WatchGap[] = []
    try {
      for await (const batch of watch({ state, ...more })) {
        found.push(...batch.posts.map(idOf))
        for (const post of [...batch.posts, ...batch.known]) known.add(idOf(post))
        state = JSON.parse(JSON.stringify(batch.state)) as WatchState
        ;({ gaps } = batch)
      }
    } catch (error) {
      expect(error).toMatchObject({ charged: expect.any(String) as string })
    }
    return gaps
  }
  /** Posts that nobody has seen, and that no gap lists. */
  const lost = (gaps: readonly WatchGap[]): number[] =>
    feed.ids.map(Number).filter((id) => {
      const time = Date.parse(feed.timeOf(String(id)))
      const isMissing = gaps.some(
        ({ from, to }) => Date.parse(from ?? '') <= time && time <= Date.parse(to ?? ''),
      )
      return !known.has(id) && !isMissing && id < Math.max(...known)
    })
  return { feed, check, found, lost }
}

/** The state of a watch that has read some posts and the first 20, and keeps of others in between only their times. */
function stateWithDropped(feed: Feed, upper: readonly number[], dropped: readonly [number, number]) {
  const at = (id: number): string => feed.timeOf(String(id))
  const search = { category: 'Latest', query: 'acme' }
  const spanOf = (ids: readonly number[], next: object | null) => ({
    ...{ ids: ids.map(String).toReversed(), times: ids.map((id) => Date.parse(at(id))).toReversed() },
    ...{ next, newest: at(ids.at(-1) ?? 0), oldest: at(ids[0] ?? 0) },
  })
  const [newest, oldest] = dropped.map((id) => Date.parse(at(id))) as [number, number]
  const span = spanOf(upper, { ...search, cursor: String(upper[0]) })
  const spans = [{ ...span, forgotten: [[newest, oldest]] as const }, spanOf(range(1, 20), null)]
  return { search: JSON.stringify(search), spans } satisfies WatchState
}

describe('watchSearch()', () => {
  it.each([
    ['and says that there is more', true],
    ['and says that it is the last', false],
  ])('keeps a gap whose page is empty in two nights, %s, and fills it in the third', async (_, hasMore) => {
    const { feed, check, found, lost } = setUpChecks(20)
    await check()
    feed.post(280)
    await check()
    for (let night = 0; night < 2; night++) {
      vi.advanceTimersByTime(21 * hour)
      feed.onRequest = (cursor) => {
        if (cursor === undefined) return undefined
        feed.onRequest = () => undefined
        return Response.json(page([], hasMore ? cursor : undefined))
      }
      expect(lost(await check())).toEqual([])
    }
    vi.advanceTimersByTime(21 * hour)
    expect(await check()).toEqual([])
    expect(found.toSorted((a, b) => a - b)).toEqual(range(1, 300))
  })

  it('keeps a gap whose pages are empty in two nights, however many empty pages a night has', async () => {
    const { feed, check, lost } = setUpChecks(20)
    await check()
    feed.post(280)
    await check()
    feed.onRequest = (cursor) => (cursor === undefined ? undefined : Response.json(page([], `${cursor}+`)))
    for (let night = 0; night < 2; night++) {
      vi.advanceTimersByTime(21 * hour)
      const gaps = await check()
      expect(gaps).toHaveLength(1)
      expect(lost(gaps)).toEqual([])
    }
  })

  it('keeps a gap when the service forgets its place, and then lists nothing above known posts, for days', async () => {
    const { feed, check, found, lost } = setUpChecks(20, { maxPages: 2 })
    await check()
    feed.post(60)
    await check()
    const top = () => {
      feed.post(1)
      return Response.json(feed.page(feed.ids.slice(0, 20), feed.entries[19]?.rank.toString()))
    }
    const nothing = () => Response.json(page([]))
    for (const answer of [nothing, nothing, top, nothing, nothing]) {
      vi.advanceTimersByTime(17 * hour)
      feed.onRequest = (cursor) => (cursor === undefined ? undefined : answer())
      expect(lost(await check())).toEqual([])
    }
    feed.onRequest = () => undefined
    vi.advanceTimersByTime(17 * hour)
    expect(await check({ maxPages: 10 })).toEqual([])
    expect(found.toSorted((a, b) => a - b)).toEqual(range(1, 81))
  })

  it('puts a page where its times are when the service answers an old cursor with the newest page', async () => {
    const { feed, check, found, lost } = setUpChecks(20, { maxPages: 1 })
    await check()
    feed.post(60)
    await check()
    feed.post(60)
    feed.onRequest = () => Response.json(feed.page(feed.ids.slice(0, 20), feed.entries[19]?.rank.toString()))
    expect(lost(await check())).toEqual([])
    feed.onRequest = () => undefined
    expect(await check({ maxPages: 20 })).toEqual([])
    expect(found.toSorted((a, b) => a - b)).toEqual(range(1, 140))
  })

  it('loses nothing when the service answers an old cursor with the newest page, and names that cursor again', async () => {
    const { feed, check, found, lost } = setUpChecks(20, { maxPages: 1 })
    await check()
    feed.post(60)
    await check()
    feed.post(60)
    feed.onRequest = (cursor) => {
      if (cursor === undefined) return undefined
      feed.onRequest = () => undefined
      return Response.json(feed.page(feed.ids.slice(0, 20), cursor))
    }
    for (let time = 0; time < 4; time++) expect(lost(await check())).toEqual([])
    expect(await check({ maxPages: 20 })).toEqual([])
    expect(found.toSorted((a, b) => a - b)).toEqual(range(1, 140))
  })

  it('starts with `from: now` at the first check, even if it fails', async () => {
    const { feed, check, found } = setUpChecks(100, { from: 'now', retry: false })
    feed.start -= 2 * hour
    feed.onRequest = () => failure(502, 'upstream_error')
    await check()
    vi.advanceTimersByTime(12 * hour)
    feed.start += 14 * hour - 50 * minute
    feed.post(50)
    for (const entry of feed.entries.slice(50)) entry.rank -= 20 * 60
    feed.onRequest = () => undefined
    expect(await check()).toEqual([])
    expect(found.toSorted((a, b) => a - b)).toEqual(range(101, 150))
  })

  it('keeps a gap when an old copy of the newest page begins inside it, with posts of spans that the state has dropped', async () => {
    const { feed, check, found } = setUpChecks(100)
    const at = (id: number) => feed.timeOf(String(id))
    const state = stateWithDropped(feed, range(81, 100), [60, 50])
    feed.onRequest = (cursor) => {
      feed.onRequest = () => undefined
      return cursor === undefined
        ? Response.json(feed.page(range(46, 65).map(String).toReversed()))
        : undefined
    }
    expect(await check({ state, maxPages: 1 })).toEqual([
      { from: at(65), to: at(81) },
      { from: at(20), to: at(46) },
    ])
    expect(await check()).toEqual([])
    expect(found.toSorted((a, b) => a - b)).toEqual([...range(21, 49), ...range(61, 80)])
  })

  it('finds no post again of spans that the state has dropped, when the newest page reaches down to them', async () => {
    const { feed, check, found } = setUpChecks(101)
    const state = stateWithDropped(feed, range(98, 100), [95, 90])
    expect(await check({ state })).toEqual([])
    expect(found.toSorted((a, b) => a - b)).toEqual([...range(21, 89), 96, 97, 101])
  })

  it('keeps the gap of a search without posts at first when its next page is empty', async () => {
    const { feed, check, found } = setUpChecks(0)
    expect(await check()).toEqual([])
    vi.advanceTimersByTime(5 * hour)
    feed.post(100)
    feed.onRequest = (cursor) => (cursor === undefined ? undefined : Response.json(page([])))
    expect(await check()).toHaveLength(1)
    feed.onRequest = () => undefined
    expect(await check()).toEqual([])
    expect(found.toSorted((a, b) => a - b)).toEqual(range(1, 100))
  })

  it('asks again for a page that says that there is more, but not where', async () => {
    const { feed, check, found } = setUpChecks(20)
    await check()
    feed.post(1600)
    let pages = 0
    feed.onRequest = (cursor) => {
      if (++pages !== 74) return undefined
      const meta = { returnedCount: 20, hasMore: true }
      return Response.json({ ...feed.page(feed.after(cursor).slice(0, 20)), meta })
    }
    for (let gaps = await check(); gaps.length > 0 && pages < 400;) gaps = await check()
    expect([found.toSorted((a, b) => a - b), feed.requests.length]).toEqual([
      range(1, 1620),
      expect.any(Number),
    ])
    expect(feed.requests.length).toBeLessThanOrEqual(95)
  })
})

describe('watchSearch() of the professional network', () => {
  it('loses no post outside a gap when more than a page of new ones shifts the pages of a gap', async () => {
    const { feed, check, found, lost } = setUpChecks(20, { maxPages: 1 }, 'professionalnet')
    for (const posts of [0, 60, 60, 60, 0, 0, 60, 0]) {
      feed.post(posts)
      expect(lost(await check())).toEqual([])
    }
    expect(await check({ maxPages: 30 })).toEqual([])
    expect(found.toSorted((a, b) => a - b)).toEqual(range(1, 260))
  })
})
