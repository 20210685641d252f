import { expect, it } from 'vitest'
import { runMisfortune } from './misfortune/run.ts'

it('runMisfortune() gives the same trace when the seed is the same', async () => {
  const first = await runMisfortune({ calls: 500, seed: 'a' })
  const again = await runMisfortune({ calls: 500, seed: 'a' })
  const other = await runMisfortune({ calls: 50, seed: 'b' })
  expect(again).toEqual(first)
  expect(other.digest).not.toBe(first.digest)
}, 120_000)
