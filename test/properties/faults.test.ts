import { describe, expect, it } from 'vitest'
import { runMisfortune } from '../soak/misfortune/run.ts'

/** What the soak test runs for longer, with other seeds. */
describe('calls of several clients', () => {
  it.each(['a', 'e'])(
    'keep credits, the limits of an organization, times and secrets right with any schedule of faults (seed %s)',
    async (seed) => {
      const lines: string[] = []
      await runMisfortune({ calls: 500, seed, log: (line) => lines.push(line) })
      expect(lines.filter((line) => line.startsWith('✗'))).toEqual([])
    },
    120_000,
  )

  it('meet with the same faults when the seed is the same', async () => {
    const digests: string[] = []
    for (const seed of ['a', 'a', 'b']) digests.push((await runMisfortune({ calls: 100, seed })).digest)
    expect(digests[0]).toBe(digests[1])
    expect(digests[0]).not.toBe(digests[2])
  })
})
