import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { CreditBudgetError } from '../../../src/index.ts'
import { SharedBudget, sqliteStore } from '../../../src/extensions/shared/index.ts'

// Spends two credits at a time of the budget in argv[2] until none are left, and appends to argv[3] each time.
const [path = '', log = '', limit = ''] = process.argv.slice(2)
const options = { name: 'shared', limit: Number(limit), lease: 800, logger: false } as const
const budget = new SharedBudget({ store: sqliteStore(path), ...options })
for (;;) {
  try {
    const reservation = await budget.reserve(2, 'microblog.search')
    appendFileSync(log, '2')
    await sleep(Math.random() * 20)
    reservation.settle(2)
  } catch (error) {
    if (error instanceof CreditBudgetError && (await budget.summary()).reserved === 0) break
    await sleep(50)
  }
}
await budget.close()
