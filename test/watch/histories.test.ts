import fc from '../support/chance.ts'
import { expect, it } from 'vitest'
import { PaginationError } from '../../src/index.ts'
import { type WatchState, watchSearch } from '../../src/extensions/watch/index.ts'
import { Feed } from './feed.ts'

const overlap = 10

/** What happens before a poll, while it reads its pages, and to the watcher when it has a batch. */
interface Turn {
  top: number
  removed: number[]
  late: number[]
  turned: number | null
  during: { top: number; removed: number[] }
  crash: 'no' | 'before work' | 'after work'
}

const quiet: Turn = {
  ...{ top: 0, removed: [], late: [], turned: null, crash: 'no' },
  during: { top: 0, removed: [] },
}

const places = fc.array(fc.nat(60), { maxLength: 4 })
const turn: fc.Arbitrary<Turn> = fc.record({
  top: fc.oneof(fc.nat(5), fc.nat(100), fc.constant(0)),
  removed: places,
  late: fc.array(fc.nat(overlap - 1), { maxLength: 3 }),
  turned: fc.option(fc.nat(60)),
  during: fc.record({ top: fc.nat(25), removed: places }),
  crash: fc.constantFrom('no', 'no', 'no', 'before work', 'after work'),
})

const growingOnly = (turn: Turn): Turn => ({
  ...{ ...turn, removed: [], turned: null },
  during: { ...turn.during, removed: [] },
})

let feeds = 0

type Source = 'microblog' | 'professionalnet'

/** Watches a feed through a history, and starts again from the state that was stored last whenever it crashes. */
async function watch(
  before: number,
  history: readonly Turn[],
  maxPages: number,
  source: Source = 'microblog',
  pageSize = 20,
) {
  const feed = new Feed(`history ${++feeds}`)
  feed.pageSize = pageSize
  const end = new AbortController()
  const sink = new Set<string>()
  let state: WatchState | null = null
  let turns = -1
  // Where every known post is gone, a gap stays for hours.
  const isComplete = () => {
    const open = state?.spans.filter(({ next }) => next !== null) ?? []
    // Numbered pages of a gap are read after those of the gap above it.
    const isBlocked = source === 'professionalnet' && open[0]?.silence !== undefined
    return state !== null && (isBlocked || open.every(({ silence }) => silence))
  }
  feed.post(before)
  feed.onRequest = (cursor) => {
    const now = history[Math.max(turns, 0)]
    if (cursor === undefined && ++turns > 0) {
      const next = history[turns - 1]
      // Quiet polls come last, until there are no gaps.
      if (next === undefined) {
        if (turns > history.length + 1 && isComplete()) end.abort()
        return undefined
      }
      next.removed.forEach((position) => feed.remove(position))
      // A move must not put an unseen post below the overlap. After a crash, the state does not tell what is unseen.
      const { crash } = history[turns - 2] ?? quiet
      if (next.turned !== null) {
        if (crash === 'no' && isComplete()) feed.reverse(next.turned, overlap)
      } else next.late.forEach((position) => feed.insert(position))
      feed.post(next.top)
    } else if (cursor !== undefined && now !== undefined) {
      feed.post(now.during.top)
      now.during.removed.forEach((position) => feed.remove(position))
    }
    return undefined
  }

  let old = new Set<string>()
  for (let isOver = false; !isOver;) {
    const options = { state, minInterval: 1, maxPages, overlap, signal: end.signal }
    const { microblog, professionalnet } = feed.client
    const watching =
      source === 'microblog'
        ? watchSearch(microblog, { query: 'a' }, options)
        : watchSearch(professionalnet.posts, { query: 'a' }, options)
    try {
      for await (const batch of watching) {
        // Twenty posts that come between two numbered pages make them equal. The next look would wait for a minute.
        if (batch.error !== null) {
          expect(batch.error).toBeInstanceOf(PaginationError)
          state = JSON.parse(JSON.stringify(batch.state)) as WatchState
          break
        }
        const crash: Turn['crash'] = state === null ? 'no' : (history[turns - 1]?.crash ?? 'no')
        if (state === null) old = new Set(feed.ids)
        if (crash !== 'before work') {
          const ids = batch.posts.map((post) => ('urn' in post ? post.urn : post.id))
          for (const id of ids) sink.add(id)
        }
        if (crash !== 'no') break
        state = JSON.parse(JSON.stringify(batch.state)) as WatchState
      }
    } catch (error) {
      expect(error).toBe(end.signal.reason)
      isOver = true
    }
  }
  return { feed, sink, old }
}

/** A late post ends up between two posts that were known before the gap above them. */
const lateInGap: [number, Turn[], number, number] = [
  10,
  [
    { ...quiet, top: 13, late: [9] },
    { ...quiet, top: 2, late: [0, 0], during: { top: 23, removed: [] } },
    { ...quiet, late: [0, 0], during: { top: 17, removed: [] } },
    { ...quiet, top: 31 },
  ],
  2,
  20,
]

it.each<[string, Source, (turn: Turn) => Turn]>([
  ['posts when they are added, removed or moved', 'microblog', (turn) => turn],
  ['posts of numbered pages that new posts shift', 'professionalnet', growingOnly],
])('watchSearch() misses no %s, and the process dies at any time', async (_, source, change) => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: overlap, max: 50 }),
      fc.array(turn, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 2, max: 4 }),
      fc.constantFrom(10, 20),
      async (before, history, maxPages, pageSize) => {
        const { feed, sink, old } = await watch(before, history.map(change), maxPages, source, pageSize)
        expect(feed.ids.filter((id) => !sink.has(id) && !old.has(id))).toEqual([])
      },
    ),
    { numRuns: 50, examples: [lateInGap] },
  )
})
