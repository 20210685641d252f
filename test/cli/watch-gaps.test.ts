import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SocialSearch, isSocialSearchError } from '../../src/index.ts'
import { createRandom } from '../../src/extensions/sandbox/random.ts'
import {
  type WatchGap,
  type WatchState,
  watchSearch,
  watchSearches,
} from '../../src/extensions/watch/index.ts'
import { gapsOf } from '../../src/extensions/watch/spans.ts'
import { chanceSeed } from '../support/chance.ts'
import { LyingService } from '../watch/worlds.ts'
import { social, useCommand } from './command.ts'

const [minute, hour] = [60_000, 3_600_000]
const start = Date.UTC(2026, 10, 20)
const worlds = 2 * Number(process.env['RUNS'] ?? 1)

/** The gaps that posts.db lists, in SQL and as `describe` prints them, and those of the state in it. */
async function gapsOfFile(): Promise<[sql: unknown, described: unknown, state: unknown]> {
  const file = new DatabaseSync('posts.db')
  const gaps = file.prepare('SELECT "from", "to" FROM social_search_gaps').all()
  const { state } = file.prepare('SELECT state FROM social_search_searches').get() as { state: string }
  file.close()
  const { searches } = JSON.parse((await social('describe posts.db')).out) as {
    searches: { gaps: unknown }[]
  }
  return [gaps.map((gap) => ({ ...gap })), searches[0]?.gaps, gapsOf((JSON.parse(state) as WatchState).spans)]
}

/** One check of a watch in a program, whether it fails or not. */
async function checkOf(service: LyingService, state: WatchState | null, of: 'one' | 'all', maxPages: number) {
  const options = { once: true, maxPages }
  const client = new SocialSearch({
    ...{ baseUrl: 'https://api.example/v1', apiKey: 'org_live_key', organization: crypto.randomUUID() },
    ...{ limits: { perMinute: false }, logger: false, fetch: (request: Request) => service.answer(request) },
  })
  const batches =
    of === 'one'
      ? watchSearch(client.microblog, { query: 'a' }, { ...options, state })
      : watchSearches(client, { a: { query: 'a' } }, { ...options, states: { a: state } })
  let gaps: readonly WatchGap[] | undefined
  try {
    for await (const batch of batches) {
      state = JSON.parse(JSON.stringify(batch.state)) as WatchState
      ;({ gaps } = batch)
    }
  } catch (error) {
    if (!isSocialSearchError(error)) throw error
  }
  return { state, gaps }
}

/** The next world of the microblog network from a number on. */
function seedFrom(n: number): string {
  for (;;) {
    const seed = `${chanceSeed} gaps ${n}`
    if (!new LyingService({ seed }, start).isNumbered) return seed
    n += 1000
  }
}

describe('watch, watch --once, watchSearch(), watchSearches() and posts.db', () => {
  useCommand()
  const foreign = new Set(process.listeners('SIGINT'))
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  it.each(Array.from({ length: worlds }, (_, n) => seedFrom(n)))(
    'agree about gaps in the world %s',
    async (seed) => {
      const random = createRandom(`${seed} checks`)
      // Each has a service of its own, which tells the same lies.
      const [command, one, all] = Array.from(
        { length: 3 },
        () => new LyingService({ seed, isBusy: true }, start),
      ) as [LyingService, LyingService, LyingService]
      vi.stubGlobal('fetch', (...request: ConstructorParameters<typeof Request>) =>
        command.answer(new Request(...request)),
      )
      let states: [WatchState | null, WatchState | null] = [null, null]
      let time = start
      for (let check = 0; check < 8; check++) {
        const maxPages = random.pick([1, 2, 5])
        for (const service of [command, one, all]) service.now = time
        vi.setSystemTime(time)
        const [mine, theirs] = [
          await checkOf(one, states[0], 'one', maxPages),
          await checkOf(all, states[1], 'all', maxPages),
        ]
        states = [mine.state, theirs.state]
        const { code, err } = await social(
          `watch a --once --out posts.db --per-minute off --max-pages ${maxPages}`,
        )
        expect(theirs.gaps ?? []).toEqual(mine.gaps ?? [])
        const gaps = mine.state === null ? [] : gapsOf(mine.state.spans)
        if (mine.state !== null) expect(await gapsOfFile()).toEqual([gaps, gaps, gaps])
        if (code === 0) expect([gaps, err.includes('missing')]).toEqual([[], false])
        if (gaps.length > 0) expect([code > 0, err]).toEqual([true, expect.stringContaining('missing: a ')])
        time += random.pick([7 * minute, hour, 21 * hour]) * (0.9 + 0.2 * random.next())
      }
      // A watch that runs goes on from there.
      command.now = time
      vi.useRealTimers()
      const run = social('watch a --min-interval 0.05 --yes --out posts.db --per-minute off --max-pages 2')
      const { pages } = command
      await vi.waitFor(() => expect(command.pages).toBeGreaterThan(pages), { timeout: 20_000 })
      for (const listener of process.listeners('SIGINT')) if (!foreign.has(listener)) listener('SIGINT')
      await run
      const [sql, described, state] = await gapsOfFile()
      expect([sql, described]).toEqual([state, state])
    },
    120_000,
  )
})
