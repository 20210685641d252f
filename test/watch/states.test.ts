import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { WatchState } from '../../src/extensions/watch/index.ts'
import { listed, setUpChecks, sorted, truth } from './checks.ts'
import type { Feed } from './feed.ts'
import { range } from './helpers.ts'

const hour = 3_600_000
const start = Date.UTC(2026, 10, 19)

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: start + 30 * hour }))
afterEach(() => void vi.useRealTimers())

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
