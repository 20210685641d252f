import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { catalogue } from './catalogue.ts'
import { faultsPage } from './page.ts'

// Waits that are drawn at random are over at once, unless a case says otherwise.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
afterEach(() => void vi.restoreAllMocks())

const seen = new Map<number, string>()

describe('the fault catalogue', () => {
  it('has at least 100 faults, each with a unique number', () => {
    const ids = catalogue.map(({ id }) => id)
    expect(ids.length).toBeGreaterThanOrEqual(100)
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
  })

  it.each(catalogue.map((fault) => ({ ...fault, number: String(fault.id).padStart(3, '0') })))(
    '#$number $group: $name',
    async ({ id, run, observed }) => {
      const told = await run()
      expect(told).toBe(observed)
      seen.set(id, told)
    },
    // The largest make tens of thousands of calls, and machines differ.
    120_000,
  )

  it('matches docs/faults.md', async () => {
    expect(seen.size, 'every fault must have been observed').toBe(catalogue.length)
    await expect(faultsPage(catalogue, seen)).toMatchFileSnapshot('../../docs/faults.md')
  })
})
