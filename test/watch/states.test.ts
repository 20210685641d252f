import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { WatchState } from '../../src/extensions/watch/index.ts'
import { listed, setUpChecks, sorted, truth } from './checks.ts'
import type { Feed } from './feed.ts'
import { range } from './helpers.ts'

const [minute, hour] = [60_000, 3_600_000]
const start = Date.UTC(2026, 10, 19)

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: start + 30 * hour }))
afterEach(() => void vi.useRealTimers())

const idsOf = (newest: number, oldest: number) => listed(oldest, newest)
const timeOf = (id: number) => new Date(start + id * minute).toISOString()
const times = (newest: number, oldest: number) => ({ newest: timeOf(newest), oldest: timeOf(oldest) })
/** With a field that is not written any more. */
const pace = { at: start + 26 * hour, fast: [50, 1e7], slow: [76, 9e7], watched: [58, 7e6] }

/** As an earlier version has stored them: 20 posts, then twice 60 more with two pages a check. */
const microblog = {
  search: '{"category":"Latest","query":"acme"}',
  spans: [
    {
      ids: idsOf(140, 121),
      next: { query: 'acme', category: 'Latest', cursor: '121' },
      ...times(140, 121),
      silence: [start + 26 * hour, start + 26 * hour],
    },
    { ids: idsOf(80, 41), next: { query: 'acme', category: 'Latest', cursor: '41' }, ...times(80, 41) },
    { ids: idsOf(20, 1), next: null, ...times(20, 1) },
  ],
  pace,
}
const professionalnet = {
  search: '{"query":"acme","sort_by":"recent"}',
  spans: [
    { ids: idsOf(140, 121), next: { query: 'acme', sort_by: 'recent', page: 2 }, ...times(140, 121) },
    { ids: idsOf(80, 41), next: { query: 'acme', sort_by: 'recent', page: 3 }, ...times(80, 41) },
    { ids: idsOf(20, 1), next: null, ...times(20, 1) },
  ],
  pace,
}

it.each([
  ['microblog', microblog],
  ['professionalnet', professionalnet],
] as const)(
  'watchSearch() fills the gaps of a state that an earlier version has stored for %s, and finds each post once',
  async (network, stored) => {
    const { feed, check, found } = setUpChecks(150, { maxPages: 3 }, network)
    feed.start = start
    let gaps = await check({ state: stored as unknown as WatchState })
    for (let n = 1; n < 6 && gaps.length > 0; n++) {
      vi.advanceTimersByTime(hour)
      gaps = await check()
    }
    expect([gaps, sorted(found)]).toEqual([[], [...range(21, 40), ...range(81, 120), ...range(141, 150)]])
  },
)

/** A state that has read some posts and the first 20, and keeps of others in between only their times. */
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

describe('watchSearch() with spans that its state has dropped', () => {
  it('keeps a gap when an old copy of the newest page begins inside it, with their posts', async () => {
    const { feed, check, found } = setUpChecks(100)
    const at = (id: number) => feed.timeOf(String(id))
    const state = stateWithDropped(feed, range(81, 100), [60, 50])
    feed.onRequest = (cursor) => {
      feed.onRequest = truth
      return cursor === undefined ? Response.json(feed.page(listed(46, 65))) : undefined
    }
    expect(await check({ state, maxPages: 1 })).toEqual([
      { from: at(65), to: at(81) },
      { from: at(20), to: at(46) },
    ])
    expect([await check(), sorted(found)]).toEqual([[], [...range(21, 49), ...range(61, 80)]])
  })

  it('finds none of their posts again when the newest page reaches down to them', async () => {
    const { feed, check, found } = setUpChecks(101)
    const state = stateWithDropped(feed, range(98, 100), [95, 90])
    expect([await check({ state }), sorted(found)]).toEqual([[], [...range(21, 89), 96, 97, 101]])
  })
})
