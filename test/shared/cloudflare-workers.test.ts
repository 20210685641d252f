import { expect, it, vi } from 'vitest'
import type { SharedBudget } from '../../src/extensions/shared/index.ts'
import { inCloudflareWorkers, never } from '../support/cloudflare-workers.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { openLateStore, reserved, summaryOf } from './late-store.ts'

virtualTime()
inCloudflareWorkers()

/** A budget of which one request was cut off while its cost of 5 credits was being stored. @param asked Credits of another call of it. */
async function budgetAfterCutOff(asked = 0): Promise<SharedBudget> {
  const { store, budgetOf } = openLateStore()
  const budget = budgetOf()
  const cutOff = await reserved(budget, 5)
  const { update } = store
  store.update = () => never
  cutOff.settle(5)
  if (asked > 0) void budget.reserve(asked, 'microblog.search')
  await pass(1)
  store.update = update
  // Its timers have ended with it.
  vi.clearAllTimers()
  return budget
}

it('reserve() waits for no update of a request that was cut off, whose credits become uncertain', async () => {
  const budget = await budgetAfterCutOff(3)
  const reservation = await reserved(budget, 2)
  expect(await summaryOf(budget)).toMatchObject({ spent: 0, reserved: 7 })
  reservation.settle(2)
  await pass(61_000)
  expect(await summaryOf(budget)).toMatchObject({ spent: 2, uncertain: 5, reserved: 0 })
  expect((await settle(budget.flush())).error).toBeUndefined()
})

it('flush() resolves when the costs of all calls are stored, in one entry for each call at a time', async () => {
  const { world, budgetOf } = openLateStore()
  const budget = budgetOf()
  let text: string | undefined
  world.meet = (found) => (text = found)
  world.replyMs = 100
  for (let call = 0; call < 5; call++) {
    await pass(61_000)
    const { value } = await settle(Promise.all([1, 1].map((credits) => budget.reserve(credits, 'any'))))
    for (const reservation of value!) reservation.settle(1)
    expect((await settle(budget.flush())).ms).toBeGreaterThanOrEqual(100)
  }
  expect(await summaryOf(budget)).toMatchObject({ spent: 10, reserved: 0 })
  expect(Object.keys((JSON.parse(text!) as { processes: object }).processes)).toHaveLength(2)
  expect((await settle(budget.close())).error).toBeUndefined()
  expect(vi.getTimerCount()).toBe(0)
})

it('flush() waits a few seconds at most for a request that was cut off while its cost was stored', async () => {
  const budget = await budgetAfterCutOff()
  expect((await settle(budget.flush())).ms).toBeLessThan(5000)
})

it('flush() waits a few seconds at most for a request that was cut off before close()', async () => {
  const budget = await budgetAfterCutOff()
  const error = expect.objectContaining({ name: 'BudgetUnavailableError' }) as unknown
  expect((await settle(budget.close())).error).toEqual(error)
  expect(await settle(budget.flush())).toMatchObject({ error, ms: 2000 })
})

it('flush() stores what close() could not, once the store is back', async () => {
  const { link, budgetOf } = openLateStore()
  const store = link()
  const budget = budgetOf({ store })
  const reservation = await reserved(budget, 5)
  store.isDown = true
  reservation.settle(5)
  expect((await settle(budget.close())).error).toMatchObject({ name: 'BudgetUnavailableError' })
  store.isDown = false
  expect((await settle(budget.flush())).error).toBeUndefined()
  expect(await summaryOf(budgetOf())).toMatchObject({ spent: 5 })
})
