import { expect, it } from 'vitest'
import { type Make, makeUp } from '../../src/extensions/sandbox/series.ts'

it('latest() makes up the items of each seed once when several seeds are used in turn', () => {
  const made: number[] = []
  const make: Make<{ at: number }> = (_, times, { seed }) => {
    made.push(seed)
    return times.map(() => (at: number) => ({ at }))
  }
  const { latest } = makeUp('posts', make)
  const series = [1, 2, 3].map((seed) => latest(seed, 4))
  for (let day = 0; day < 3; day++) for (const itemsAt of series) itemsAt(day * 86_400_000)
  expect(made).toEqual([1, 2, 3])
})
