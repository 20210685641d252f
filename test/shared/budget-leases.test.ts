import { describe, expect, it, vi } from 'vitest'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { openLateStore, reserved, summaryOf } from './late-store.ts'

virtualTime()

const hour = 3_600_000

describe('SharedBudget', () => {
  it('counts what a silent process has reserved as uncertain until it comes back, and keeps that of a slow one', async () => {
    const { link, budgetOf } = openLateStore()
    const store = link()
    const [silent, slow] = [budgetOf({ store, lease: 1000 }), budgetOf({ lease: 1000 })]
    const [doubted, kept] = [await reserved(silent, 4), await reserved(slow, 2)]
    store.isDown = true
    await pass(5000)
    expect(await summaryOf(budgetOf())).toMatchObject({ spent: 0, uncertain: 4, reserved: 2 })
    store.isDown = false
    doubted.settle(3)
    kept.settle(2)
    await settle(Promise.all([silent.flush(), slow.flush()]))
    expect(await summaryOf(slow)).toMatchObject({ spent: 5, uncertain: 0, reserved: 0 })
  })

  it('keeps what a process has reserved that was idle for long', async () => {
    const { budgetOf } = openLateStore()
    const [budget, other] = [budgetOf({ lease: 1000 }), budgetOf({ lease: 1000 })]
    ;(await reserved(budget, 4)).settle(4)
    await settle(budget.flush())
    await pass(5000)
    await reserved(budget, 3)
    expect(await summaryOf(other)).toMatchObject({ spent: 4, reserved: 3, uncertain: 0 })
    await settle(budget.close())
  })

  it('keeps what a process has reserved while it lives, and renews nothing once it is closed', async () => {
    const { budgetOf } = openLateStore()
    const budget = budgetOf()
    await reserved(budget, 4)
    await pass(130_000)
    expect(await summaryOf(budgetOf())).toMatchObject({ reserved: 4, uncertain: 0 })
    await settle(budget.close())
    expect(vi.getTimerCount()).toBe(0)
    await pass(38_000)
    expect(await summaryOf(budgetOf())).toMatchObject({ reserved: 4, uncertain: 0 })
    await pass(25_000)
    expect(await summaryOf(budgetOf())).toMatchObject({ reserved: 0, uncertain: 4 })
  })

  it.each([
    [20_000, 10_000, 4],
    [20_000, 25_000, 0],
    [3000, 12_000, 0],
  ])(
    'counts what a process reserves that dies %i ms before the period ends, %i ms later as %i uncertain credits, unless it is back',
    async (left, later, uncertain) => {
      const { link, budgetOf } = openLateStore()
      const store = link()
      const options = { every: 'hour', lease: 5000 }
      await pass(hour - left)
      await reserved(budgetOf({ ...options, store }), 4)
      store.isDown = true
      await pass(later)
      expect(await summaryOf(budgetOf(options))).toMatchObject({ uncertain, remaining: 1000 - uncertain })
      store.isDown = false
      await pass(1500)
      expect(await summaryOf(budgetOf(options))).toMatchObject({ uncertain: 0, reserved: uncertain })
    },
  )

  it('counts as uncertain after a day what a process has reserved that died while the clock was ahead', async () => {
    const { world, link, budgetOf } = openLateStore()
    const store = link()
    const dead = budgetOf({ store })
    world.clock = (at) => at + 240 * hour
    await reserved(dead, 4)
    store.isDown = true
    await settle(dead.close())
    world.clock = (at) => at
    expect(await summaryOf(budgetOf())).toMatchObject({ reserved: 4, uncertain: 0 })
    await pass(25 * hour)
    expect(await summaryOf(budgetOf())).toMatchObject({ reserved: 0, uncertain: 4 })
  })

  it('forgets a process that is idle for an hour, or that left credits uncertain 30 days ago', async () => {
    const { world, link, budgetOf } = openLateStore()
    const store = link()
    let processes: Record<string, { expired: object }> = {}
    world.meet = (text) => {
      if (text !== undefined) ({ processes } = JSON.parse(text) as { processes: typeof processes })
      return text
    }
    const use = async () => {
      const budget = budgetOf()
      ;(await reserved(budget, 1)).settle(1)
      await settle(budget.close())
    }
    const dead = budgetOf({ store })
    await reserved(dead, 4)
    store.isDown = true
    await settle(dead.close())
    await use()
    await pass(62 * 60_000)
    await use()
    expect(Object.values(processes).map(({ expired }) => Object.values(expired))).toEqual([[4], []])
    await pass(31 * 24 * hour)
    await use()
    expect(Object.keys(processes)).toHaveLength(1)
    expect(await summaryOf(budgetOf())).toMatchObject({ spent: 3, uncertain: 4 })
  })
})
