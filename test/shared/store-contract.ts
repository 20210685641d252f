import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { CreditBudgetError } from '../../src/index.ts'
import { SharedBudget, type SharedStore } from '../../src/extensions/shared/index.ts'
import { pass, settle, useVirtualTime } from '../support/clock.ts'
import { realTime } from '../support/real-time.ts'
import { promises } from './store-promises.ts'

/**
 * The promises of every store, and of a budget on it.
 *
 * @param open Connects like another process.
 * @param hasNotices Whether the store has `watch`.
 * @param isRemote Whether the store is in another process, whose time is real.
 */
export function storeContract(
  name: string,
  open: () => SharedStore | Promise<SharedStore>,
  { hasNotices = true, isRemote = false } = {},
): void {
  const kept = Object.entries(promises).filter(([title]) => hasNotices || !title.startsWith('watch()'))
  describe(`${name} as a store`, () => {
    let stores: [SharedStore, SharedStore, SharedStore]
    beforeAll(async () => void (stores = await Promise.all([open(), open(), open()])))
    if (!isRemote) {
      beforeEach(useVirtualTime)
      afterEach(() => void vi.useRealTimers())
    }
    it.each(kept)('%s', (title, promised) =>
      promised(stores, `contract-1:${title} ${crypto.randomUUID()}`, isRemote ? realTime.pass : pass),
    )

    it('keeps a SharedBudget from being exceeded when many processes reserve at once', async () => {
      const name = crypto.randomUUID()
      const budgets = stores.map((store) => new SharedBudget({ store, name, limit: 51 }))
      const finish = isRemote ? realTime.settle : settle
      const asked = Array.from({ length: 100 }, (_, i) => budgets[i % 3]!.reserve(2, 'any'))
      const { value = [] } = await finish(Promise.allSettled(asked))
      const refused = value.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []))
      expect(refused).toHaveLength(75)
      for (const error of refused) expect(error).toBeInstanceOf(CreditBudgetError)
      const summary = { limit: 51, remaining: 1, spent: 0, uncertain: 0, reserved: 50 }
      expect((await finish(budgets[1]!.summary())).value).toMatchObject(summary)
      for (const reservation of value) if (reservation.status === 'fulfilled') reservation.value.settle(0)
      await finish(Promise.all(budgets.map((budget) => budget.close())))
    })
  })
}
