import { join } from 'node:path'
import fc from '../support/chance.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { memoryStore, sqliteStore } from '../../src/extensions/shared/index.ts'
import { settle, virtualTime } from '../support/clock.ts'
import { newFolder } from '../support/folder.ts'
import { keepsEachPeriod } from './clock-attacks.ts'

const file = join(newFolder(), 'budgets.sqlite')
const connections = [1, 2, 3].map(() => sqliteStore(file))
afterAll(() => {
  for (const connection of connections) connection.close()
})

// `RUNS=50 TEST_SEED=2 npx vitest run test/shared/clock-attacks` searches on.
describe('spends no period twice, whatever clocks say, and knows what each was charged,', () => {
  virtualTime()

  it.each([
    ['a CreditBudget', []],
    ['a SharedBudget in memory', [memoryStore()]],
    ['a SharedBudget in SQLite', connections],
  ])('%s', async (_, stores) => {
    const { error } = await settle(
      fc.assert(keepsEachPeriod(stores), { numRuns: 40 * Number(process.env['RUNS'] ?? 1) }),
    )
    expect(error).toBeUndefined()
  })
})
