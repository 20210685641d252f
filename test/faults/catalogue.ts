import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Fault } from './case.ts'
import { concurrency } from './concurrency.ts'
import { http } from './http.ts'
import { money } from './money.ts'
import { network } from './network.ts'
import { paging } from './paging.ts'
import { payload } from './payload.ts'
import { protocol } from './protocol.ts'
import { retryAfter } from './retry-after.ts'
import { shape } from './shape.ts'
import { time } from './time.ts'

/** All faults, by number. */
export const catalogue: readonly Fault[] = [
  ...network,
  ...protocol,
  ...http,
  ...retryAfter,
  ...payload,
  ...shape,
  ...time,
  ...concurrency,
  ...paging,
  ...money,
]

export const page = readFileSync('test/faults/faults.md', 'utf8')
/** Its rows with a number. */
export const rows = page
  .split('\n')
  .filter((line) => /^\| \d+ \|/.test(line))
  .map((line) => {
    const [id, name, , observed] = line.slice(2, -2).split(' | ')
    return { id: Number(id), name, observed }
  })

/** Makes each fault happen, and expects what the page says. */
export function checkFaults(faults: readonly Fault[]): void {
  describe('the fault catalogue', () => {
    // Random waits are zero, unless a case says otherwise.
    beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
    afterEach(() => void vi.restoreAllMocks())

    it.each(faults.map((fault) => ({ ...fault, number: String(fault.id).padStart(3, '0') })))(
      '#$number: $name',
      async ({ id, run }) => {
        expect(await run()).toBe(rows.find((row) => row.id === id)?.observed)
      },
      // The largest make tens of thousands of calls, and machines differ.
      120_000,
    )
  })
}
