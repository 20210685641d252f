import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { chanceSeed } from '../support/chance.ts'
import { type WorldOptions, world } from './worlds.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

/** Each with seeds whose services differ: cursors or numbered pages, whether it forgets them, few or many posts an hour. */
const kinds: readonly [string, Partial<WorldOptions>, number[]][] = [
  ['a quarter of the answers lie', {}, [3, 4, 6]],
  ['there are many posts, too', { isBusy: true, days: 1 }, [7]],
  ['some posts are listed late, too', { late: 0.05 }, [6]],
  ['the clock is set forward and back, too', { hasJumps: true, days: 10 }, [6]],
  ['no answer lies, and pages shift', { faulty: 0 }, [6, 9]],
]
const runs = Number(process.env['RUNS'] ?? 1)

it.each(kinds)(
  'watchSearch() loses no post outside a gap, finds each once, and keeps to its budget when %s',
  async (_, options, worlds) => {
    for (const n of worlds.flatMap((n) => Array.from({ length: runs }, (_, run) => n + 10 * run))) {
      const seed = `${chanceSeed} ${n}`
      const { lost, lostForGood, doubles, found, excess } = await world({ seed, ...options }, (time) =>
        vi.setSystemTime(time),
      )
      expect({ seed, lost, lostForGood, doubles }).toEqual({ seed, lost: 0, lostForGood: 0, doubles: 0 })
      expect(excess).toBeLessThanOrEqual(0)
      expect(found).toBeGreaterThan(0)
    }
  },
  600_000,
)
