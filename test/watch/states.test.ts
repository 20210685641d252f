import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type WatchState, watchSearch } from '../../src/extensions/watch/index.ts'
import { Feed } from './feed.ts'
import { range } from './helpers.ts'

const [minute, hour] = [60_000, 3_600_000]
const start = Date.UTC(2026, 10, 19)

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: start + 30 * hour }))
afterEach(() => void vi.useRealTimers())

const idsOf = (newest: number, oldest: number) => range(oldest, newest).map(String).toReversed()
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
    const feed = new Feed(`states ${network}`)
    feed.start = start
    feed.post(150)
    const found: number[] = []
    let state = JSON.parse(JSON.stringify(stored)) as WatchState
    let missing = 2
    for (let check = 0; check < 6 && missing > 0; check++) {
      const options = { once: true, maxPages: 3, state }
      const watch =
        network === 'microblog'
          ? watchSearch(feed.client.microblog, { query: 'acme' }, options)
          : watchSearch(feed.client.professionalnet.posts, { query: 'acme' }, options)
      for await (const batch of watch) {
        found.push(...batch.posts.map((post) => Number('urn' in post ? post.urn : post.id)))
        state = JSON.parse(JSON.stringify(batch.state)) as WatchState
        missing = batch.gaps.length
      }
      vi.advanceTimersByTime(hour)
    }
    expect(missing).toBe(0)
    expect(found.toSorted((a, b) => a - b)).toEqual([...range(21, 40), ...range(81, 120), ...range(141, 150)])
  },
)
