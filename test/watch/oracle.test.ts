import fc from '../support/chance.ts'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  type WatchBatch,
  type WatchGap,
  type WatchState,
  watchSearch,
} from '../../src/extensions/watch/index.ts'
import { isSocialSearchError } from '../../src/index.ts'
import { page } from '../support/pages.ts'
import { failure } from '../support/service.ts'
import { Feed } from './feed.ts'

/** How the service answers one request. */
type Answer =
  | 'whole'
  /** No posts, and the same place again. */
  | 'empty'
  /** No posts, as if it were the end. */
  | 'end'
  /** A few posts, and where to read on. */
  | 'short'
  /** A few posts, as if they were the last. */
  | 'cut'
  /** The newest page of the last look. */
  | 'old'
  /** Where more are listed is not said. */
  | 'nowhere'
  /** The cursor is refused, or answered with the newest page. */
  | 'refused'
  | 'forgotten'
  /** Charged, perhaps, without an answer. */
  | 'lost'

const falseEnds: readonly Answer[] = ['empty', 'end', 'cut']

interface Look {
  readonly posts: number
  readonly during: number
  readonly answers: readonly Answer[]
  readonly maxPages: number
  /** Hours since the last look; otherwise a minute, or an hour. */
  readonly hours?: number
}

const lies = ['empty', 'end', 'short', 'cut', 'old', 'nowhere', 'refused', 'forgotten', 'lost'] as const
const answers = fc.array(fc.constantFrom<Answer>('whole', 'whole', 'whole', 'whole', ...lies), {
  maxLength: 6,
})
const looks: fc.Arbitrary<Look[]> = fc.array(
  fc.record({
    posts: fc.oneof(fc.constant(0), fc.nat(5), fc.nat(100)),
    during: fc.nat(3),
    answers,
    maxPages: fc.constantFrom(1, 2, 3, 10),
    hours: fc.constantFrom(0, 0, 0, 0, 21),
  }),
  { minLength: 1, maxLength: 8 },
)

let feeds = 0

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 20) }))
afterEach(() => void vi.useRealTimers())

/** Looks at a feed whose service answers as it likes, from one stored state to the next. */
async function watch(old: number, history: readonly Look[], from: 'now' | undefined) {
  const feed = new Feed(`oracle ${++feeds}`)
  feed.post(old)
  // The old posts end an hour ago.
  feed.start = Date.now() - (old + 61) * 60_000
  let queue: Answer[] = []
  let newest: object | undefined
  let [spaces, ends] = [0, 0]
  const hasPause = history.some(({ hours = 0 }) => hours > 0)
  feed.onRequest = (cursor) => {
    let answer = queue.shift() ?? 'whole'
    // After a day, four false ends are the truth.
    if (hasPause && falseEnds.includes(answer) && ++ends > 3) answer = 'whole'
    const ids = feed.after(cursor)
    const here = `${cursor ?? 1e9}${' '.repeat(++spaces % 900)}`
    const few = feed.page(
      ids.slice(0, 3),
      answer === 'short' && ids.length > 3 ? rankOf(feed, ids[2]) : undefined,
    )
    if (cursor === undefined && answer !== 'old') newest = feed.page(ids.slice(0, 20), rankOf(feed, ids[19]))
    if (answer === 'empty') return Response.json(page([], here))
    if (answer === 'end') return Response.json(page([]))
    if (answer === 'lost') return new Response('<html>', { status: 502 })
    if (answer === 'refused' && cursor !== undefined) return failure(400, 'validation_error')
    if (answer === 'forgotten')
      return Response.json(feed.page(feed.ids.slice(0, 20), rankOf(feed, feed.ids[19])))
    if (answer === 'nowhere') {
      const meta = { returnedCount: Math.min(20, ids.length), hasMore: ids.length > 20 }
      return Response.json({ ...feed.page(ids.slice(0, 20)), meta })
    }
    if (answer === 'old' && cursor === undefined && newest !== undefined) return Response.json(newest)
    return answer === 'short' || answer === 'cut' ? Response.json(few) : undefined
  }
  let state: WatchState | null = null
  let gaps: readonly WatchGap[] = []
  const found: string[] = []
  let isStarted = false
  /** Posts that existed when the first page with posts was read. */
  let first = new Set<string>()
  const check = (): void => {
    const missing = feed.ids.filter((id) => !first.has(id) && !found.includes(id))
    // Those above the newest known post are not missing yet.
    const top = Math.max(
      0,
      ...feed.ids
        .filter((id) => first.has(id) || found.includes(id))
        .map((id) => feed.ids.length - feed.ids.indexOf(id)),
    )
    for (const id of missing) {
      if (feed.ids.length - feed.ids.indexOf(id) > top) continue
      const time = Date.parse(feed.timeOf(id))
      expect(
        gaps.some(({ from, to }) => Date.parse(from ?? '1970') <= time && time <= Date.parse(to ?? '9999')),
        `${id} at ${feed.timeOf(id)} is in ${JSON.stringify(gaps)}`,
      ).toBe(true)
    }
  }
  const look = async ({ posts, during, answers, maxPages, hours = 0 }: Look) => {
    vi.advanceTimersByTime(hours * 3_600_000 || (answers.length === 0 ? 3_600_000 : 60_000))
    feed.post(posts)
    queue = [...answers]
    const options = { once: true, from, state, maxPages }
    for await (const batch of untilItFails(watchSearch(feed.client.microblog, { query: 'a' }, options))) {
      if (!isStarted && batch.posts.length + batch.known.length > 0) {
        isStarted = true
        first = new Set(feed.ids)
        for (const { id } of batch.posts) first.delete(id)
      }
      found.push(...batch.posts.map(({ id }) => id))
      state = JSON.parse(JSON.stringify(batch.state)) as WatchState
      ;({ gaps } = batch)
      check()
      feed.post(during)
    }
  }
  for (const each of history) await look(each)
  return { feed, found, look, gaps: () => gaps, first: () => first }
}

/** The batches of a watch, whose check may fail. */
async function* untilItFails(batches: AsyncIterable<WatchBatch>): AsyncGenerator<WatchBatch> {
  try {
    yield* batches
  } catch (error) {
    if (!isSocialSearchError(error)) throw error
  }
}

const rankOf = (feed: Feed, id: string | undefined) =>
  feed.entries.find((entry) => entry.id === id)?.rank.toString()

const quiet: Look = { posts: 0, during: 0, answers: [], maxPages: 1 }

const examples: [number, Look[], undefined][] = [
  // The page of a gap begins with posts above it.
  [
    1,
    [
      quiet,
      { ...quiet, during: 3, answers: ['empty', 'cut'], maxPages: 3 },
      { ...quiet, answers: ['cut'] },
      quiet,
    ],
    undefined,
  ],
  // Posts that are older than every known one are listed below known ones, above a gap.
  [
    2,
    [
      { ...quiet, posts: 4, answers: ['cut'] },
      { ...quiet, posts: 1, answers: ['short'] },
      { ...quiet, answers: ['short'] },
    ],
    undefined,
  ],
  // The first page ever is empty, so only a time is known. A page of a gap ends with posts from before it.
  [2, [{ ...quiet, posts: 13, answers: ['empty'] }, { ...quiet, posts: 86 }, quiet], undefined],
]

const calm: Look = { posts: 0, during: 0, answers: [], maxPages: 30, hours: 17 }

it('watchSearch() loses no post without a listed gap, and reads nothing old, whatever the service answers', async () => {
  const from = fc.constantFrom(undefined, 'now' as const)
  await fc.assert(
    fc.asyncProperty(fc.nat(60), looks, from, async (old, history, from) => {
      const { feed, found, look, first, gaps } = await watch(old, history, from)
      for (let i = 0; i < 4; i++) await look(calm)
      expect(feed.ids.filter((id) => !first().has(id) && !found.includes(id))).toEqual([])
      expect(new Set(found).size).toBe(found.length)
      expect(found.filter((id) => first().has(id) && Number(id) <= old)).toEqual([])
      const { length } = feed.requests
      await look(calm)
      if (gaps().length === 0) expect(feed.requests.length - length).toBe(1)
    }),
    { numRuns: Number(process.env['RUNS'] ?? 40), examples },
  )
}, 600_000)
