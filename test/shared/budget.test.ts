import { expect, it } from 'vitest'
import { SharedBudget, type SharedStore, memoryStore } from '../../src/extensions/shared/index.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'

virtualTime()

it('SharedBudget.flush() counts an outcome once when it is sent again after an hour', async () => {
  const { update } = memoryStore()
  let fails = false
  let writes = 0
  const store: SharedStore = {
    async update(...args) {
      if (!fails) return update(...args)
      // The first write arrives, and its reply is lost.
      if (writes++ === 0) await update(...args)
      throw new Error('no reply')
    },
  }
  const budget = new SharedBudget({ store, name: 'a', limit: 100, logger: { warn: () => {} } })
  const { value: reservation } = await settle(budget.reserve(10, 'microblog.search'))
  fails = true
  reservation!.settle(10)
  await pass(61 * 60_000)
  fails = false
  await settle(budget.flush())
  expect((await settle(budget.summary())).value).toMatchObject({ spent: 10, uncertain: 0, reserved: 0 })
})
