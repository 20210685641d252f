import { describe, expect, it, vi } from 'vitest'
import type { SharedStore } from '../../src/extensions/shared/index.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { openLateStore, summaryOf } from './late-store.ts'

virtualTime()

const hour = 3_600_000

describe('SharedBudget', () => {
  it('counts what a silent process has reserved as uncertain until it comes back, and keeps that of a slow one', async () => {
    const { store, budgetOf } = openLateStore()
    let isAway = false
    const update: SharedStore['update'] = (...given) =>
      isAway ? Promise.reject(new Error('away')) : store.update(...given)
    const [silent, slow] = [budgetOf({ store: { update }, lease: 1000 }), budgetOf({ lease: 1000 })]
    const { value: doubted } = await settle(silent.reserve(4, 'any'))
    const { value: kept } = await settle(slow.reserve(2, 'any'))
    isAway = true
    await pass(5000)
    expect(await summaryOf(budgetOf())).toMatchObject({ spent: 0, uncertain: 4, reserved: 2 })
    isAway = false
    doubted!.settle(3)
    kept!.settle(2)
    await settle(Promise.all([silent.flush(), slow.flush()]))
    expect(await summaryOf(slow)).toMatchObject({ spent: 5, uncertain: 0, reserved: 0 })
  })

  it('keeps what a process has reserved that was idle for long', async () => {
    const { budgetOf } = openLateStore()
    const [budget, other] = [budgetOf({ lease: 1000 }), budgetOf({ lease: 1000 })]
    const { value: first } = await settle(budget.reserve(4, 'any'))
    first!.settle(4)
    await settle(budget.flush())
    await pass(5000)
    await settle(budget.reserve(3, 'any'))
    expect(await summaryOf(other)).toMatchObject({ spent: 4, reserved: 3, uncertain: 0 })
    await settle(budget.close())
  })

  it('keeps what a process has reserved while it lives, and renews nothing once it is closed', async () => {
    const { budgetOf } = openLateStore()
    const budget = budgetOf()
    await settle(budget.reserve(4, 'any'))
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
      const { store, budgetOf } = openLateStore()
      let isDead = false
      const update: SharedStore['update'] = (...given) =>
        isDead ? Promise.reject(new Error('it is dead')) : store.update(...given)
      const options = { every: 'hour', lease: 5000 }
      await pass(hour - left)
      await settle(budgetOf({ ...options, store: { update } }).reserve(4, 'any'))
      isDead = true
      await pass(later)
      expect(await summaryOf(budgetOf(options))).toMatchObject({ uncertain, remaining: 1000 - uncertain })
      isDead = false
      await pass(1500)
      expect(await summaryOf(budgetOf(options))).toMatchObject({ uncertain: 0, reserved: uncertain })
    },
  )

  it('counts as uncertain after a day what a process has reserved that died while the clock was ahead', async () => {
    const { world, store, budgetOf } = openLateStore()
    let isDead = false
    const update: SharedStore['update'] = (...given) =>
      isDead ? Promise.reject(new Error('it is dead')) : store.update(...given)
    const dead = budgetOf({ store: { update } })
    world.clock = (at) => at + 240 * hour
    await settle(dead.reserve(4, 'any'))
    isDead = true
    await settle(dead.close())
    world.clock = (at) => at
    expect(await summaryOf(budgetOf())).toMatchObject({ reserved: 4, uncertain: 0 })
    await pass(25 * hour)
    expect(await summaryOf(budgetOf())).toMatchObject({ reserved: 0, uncertain: 4 })
  })

  it('forgets a process that is idle for an hour, or that left credits uncertain 30 days ago', async () => {
    const { world, store, budgetOf } = openLateStore()
    let processes: Record<string, { abandoned: object }> = {}
    world.meet = (text) => {
      if (text !== undefined) ({ processes } = JSON.parse(text) as { processes: typeof processes })
      return text
    }
    const use = async () => {
      const budget = budgetOf()
      const { value: reservation } = await settle(budget.reserve(1, 'any'))
      reservation!.settle(1)
      await settle(budget.close())
    }
    let isDead = false
    const update: SharedStore['update'] = (...given) =>
      isDead ? Promise.reject(new Error('it is dead')) : store.update(...given)
    const dead = budgetOf({ store: { update } })
    await settle(dead.reserve(4, 'any'))
    isDead = true
    await settle(dead.close())
    await use()
    await pass(62 * 60_000)
    await use()
    expect(Object.values(processes).map(({ abandoned }) => Object.values(abandoned))).toEqual([[4], []])
    await pass(31 * 24 * hour)
    await use()
    expect(Object.keys(processes)).toHaveLength(1)
    expect(await summaryOf(budgetOf())).toMatchObject({ spent: 3, uncertain: 4 })
  })
})
