import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Faults, isInRealTime } from './case.ts'
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

export const catalogue: Faults = {
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
}

export const page = readFileSync('test/faults/faults.md', 'utf8')
/** Its rows with a number. */
export const rows = page
  .split('\n')
  .filter((line) => /^\| \d+ \|/.test(line))
  .map((line) => {
    const [id, name = '', , observed] = line.slice(2, -2).split(' | ')
    return { id: Number(id), name, observed }
  })

/** Makes each fault happen, and expects what the page says. */
export function checkFaults(hasRealTime: boolean): void {
  describe('the fault catalogue', () => {
    // Random waits are zero, unless a case says otherwise.
    beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
    afterEach(() => void vi.restoreAllMocks())

    const those = rows.filter(({ name }) => isInRealTime(catalogue[name]!) === hasRealTime)
    // The largest make tens of thousands of calls, and machines differ.
    it.each(those)('#$id: $name', { timeout: 120_000 }, async ({ name, observed }) => {
      expect(await catalogue[name]!()).toBe(observed)
    })
  })
}
