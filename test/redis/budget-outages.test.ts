import { describe, expect, it } from 'vitest'
import { CreditBudgetError } from '../../src/index.ts'
import { failures, newName, open, works } from './budgets.ts'
import { admin, network, server } from './workers.ts'

const hasLost = 'the store has lost a part of what was spent; use a budget with a new name'

describe('SharedBudget.reserve()', () => {
  it('refuses when Redis has lost the spent credits', async () => {
    const name = newName()
    const { budget } = await open(name, 10)
    ;(await budget.reserve(2, 'any')).settle(2)
    await budget.flush()
    await admin.flushall()
    // A process that knows nothing of it starts it anew, until one that knows comes by.
    const other = await open(name, 10)
    for (let i = 0; i < 3; i++) await other.budget.reserve(2, 'any')
    await expect(budget.reserve(2, 'any')).rejects.toMatchObject({ reason: hasLost })
    await expect(other.budget.reserve(2, 'any')).rejects.toMatchObject({ reason: hasLost })
    await expect(other.budget.summary()).rejects.toMatchObject({ reason: hasLost })
  })

  it('refuses in all processes when Redis has an older state than before', async () => {
    const name = newName()
    const { budget } = await open(name, 100)
    const other = await open(name, 100)
    const call = async () => (await budget.reserve(2, 'any')).settle(2)
    for (let i = 0; i < 2; i++) await call()
    await budget.flush()
    const keys = await admin.keys('social-search:budget-1:*')
    const before = await Promise.all(keys.map(async (key) => [key, await admin.dumpBuffer(key)] as const))
    for (let i = 0; i < 6; i++) await call()
    await budget.flush()
    for (const [key, value] of before) await admin.restore(key, 0, value, 'REPLACE')
    await expect(call()).rejects.toMatchObject({ name: 'BudgetUnavailableError', reason: hasLost })
    await expect(other.budget.reserve(2, 'any')).rejects.toMatchObject({ reason: hasLost })
  })

  it('ignores the reservations of aborted calls when Redis wakes up', async () => {
    const name = newName()
    const [stalled, fresh, other] = await Promise.all([1, 2, 3].map(() => open(name, 10)))
    await stalled!.budget.summary()
    await other!.budget.summary()
    await server.suspend()
    const [first, second] = [stalled, fresh].map((process) =>
      Promise.allSettled([1, 2, 3, 4].map(() => process!.budget.reserve(2, 'any'))),
    )
    for (const result of [...(await first!), ...(await second!)]) {
      expect(result).toMatchObject({ reason: { name: 'BudgetUnavailableError' } })
    }
    const asked = [1, 2].map(() => other!.budget.reserve(5, 'any'))
    await server.resume()
    for (const reservation of await Promise.all(asked)) reservation.settle(5)
    await Promise.all([stalled, fresh, other].map((process) => process!.budget.flush()))
    expect(await other!.budget.summary()).toMatchObject({ spent: 10, uncertain: 0, reserved: 0 })
  })

  it('counts the outcomes that Redis lacks before it refuses', async () => {
    const { commands, wrap } = network()
    const { budget } = await open(newName(), 10, {}, wrap)
    const reservations = [await budget.reserve(4, 'any'), await budget.reserve(4, 'any')]
    commands.meet = failures.before
    reservations.forEach((reservation) => reservation.settle(1))
    await expect.poll(() => budget.reserve(4, 'any').catch(String)).toMatch(/the network failed/)
    commands.meet = works
    ;(await budget.reserve(8, 'any')).settle(0)
    await expect(budget.reserve(9, 'any')).rejects.toBeInstanceOf(CreditBudgetError)
  })
})
