import { describe, expect, it, vi } from 'vitest'
import { SharedBudget, type SharedStore } from '../../src/extensions/shared/index.ts'
import { type CompareAndSwap, swapText } from '../../src/extensions/shared/store.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { openLateStore, reserved, summaryOf, unsettled } from './late-store.ts'

virtualTime()

/** The timers that are set until `vi.unstubAllGlobals()`. A spy would bring back a timer of virtual time in another file. */
function noteTimers() {
  const timers = vi.fn(setTimeout)
  vi.stubGlobal('setTimeout', timers)
  return timers
}

describe('SharedBudget, when replies of its store are lost,', () => {
  it('flush() counts an outcome once when it is sent again after an hour', async () => {
    const { world, budgetOf } = openLateStore()
    const budget = budgetOf()
    const reservation = await reserved(budget, 10)
    // The text is stored, but the reply is lost.
    world.replyMs = 5000
    reservation.settle(10)
    await pass(61 * 60_000)
    world.replyMs = 0
    await settle(budget.flush())
    expect(await summaryOf(budget)).toMatchObject({ spent: 10, uncertain: 0, reserved: 0 })
  })

  it('counts each outcome once when one is sent again together with later ones', async () => {
    const { world, budgetOf } = openLateStore()
    const budget = budgetOf()
    const costs = [1, 10, 100]
    const calls = await Promise.all(costs.map(() => reserved(budget, 100)))
    // Each is stored, but its reply is lost.
    world.replyMs = 5000
    for (const [i, reservation] of calls.entries()) {
      reservation.settle(costs[i]!)
      await pass(2500)
    }
    world.replyMs = 0
    await settle(budget.flush())
    expect(await summaryOf(budget)).toMatchObject({ spent: 111, uncertain: 0, reserved: 0 })
  })

  it('leaves no credits reserved for a refused call whose write arrives after a later update', async () => {
    const { budgetOf } = openLateStore()
    const world = { tag: '', text: '', writeMs: 0 }
    const compareAndSwap: CompareAndSwap = async (_, swap) => {
      const readAt = performance.now()
      const { writeMs } = world
      if (swap !== undefined) world.writeMs = 0
      if (swap !== undefined && writeMs > 0) await new Promise((resolve) => setTimeout(resolve, writeMs))
      const { tag, text } = world
      if (swap?.tag !== tag) return { tag, text, clock: Date.now(), lockedMs: 0, readAt }
      Object.assign(world, { tag: `${tag}x`, text: swap.value })
      return undefined
    }
    const store: SharedStore = { update: (_, change) => swapText(change, compareAndSwap) }
    const budget = budgetOf({ store })
    await summaryOf(budget)
    world.writeMs = 2500
    const { error } = await settle(budget.reserve(8, 'microblog.search'))
    expect(error).toMatchObject({ code: 'budget_unavailable', operation: 'microblog.search' })
    await settle(budget.close())
    await pass(3000)
    expect(await summaryOf(budgetOf({ store }))).toMatchObject(unsettled)
  })

  it('close() gives back the credits of a call that asks in the same moment and gets no reply', async () => {
    const { store, budgetOf } = openLateStore()
    let isLost = false
    const update: SharedStore['update'] = async (...asked) => {
      const result = await store.update(...asked)
      if (!isLost) return result
      isLost = false
      throw new Error('the reply is lost')
    }
    const budget = budgetOf({ store: { update }, storeTimeout: 200 })
    await summaryOf(budget)
    isLost = true
    const call = settle(budget.reserve(8, 'microblog.search'))
    expect((await settle(budget.close())).error).toBeUndefined()
    expect((await call).error).toMatchObject({ code: 'budget_unavailable' })
    expect(await summaryOf(budgetOf())).toMatchObject(unsettled)
  })

  it.each([
    // The next attempt comes by itself.
    ['gives back the credits of calls', 400, () => pass(3000)],
    ['close() gives back the credits of a call', 1, (budget: SharedBudget) => settle(budget.close())],
  ] as const)('%s refused because the reply was late', async (_, count, end) => {
    const { world, budgetOf } = openLateStore()
    const budget = budgetOf()
    await summaryOf(budget)
    world.replyMs = 1200
    const calls = Array.from({ length: count }, () => settle(budget.reserve(2, 'microblog.search')))
    for (const { error } of await Promise.all(calls))
      expect(error).toMatchObject({ code: 'budget_unavailable' })
    // Before the next attempt begins, whose reply would be as late.
    world.replyMs = 0
    expect((await end(budget))?.error).toBeUndefined()
    expect(await summaryOf(budgetOf())).toMatchObject(unsettled)
  })

  it('close() waits for the store no longer than storeTimeout', async () => {
    const { world, budgetOf } = openLateStore()
    const budget = budgetOf()
    const reservation = await reserved(budget, 2)
    world.replyMs = 1e6
    reservation.settle(2)
    const { error, ms } = await settle(budget.close())
    expect(error).toMatchObject({ reason: 'the outcome of 1 call could not be sent' })
    expect(ms).toBe(1000)
  })

  it('close() resolves, and the process may end, when the store is unavailable and no call was sent', async () => {
    const timers = noteTimers()
    const budget = new SharedBudget({
      ...{ name: 'march', limit: 10, logger: false, storeTimeout: 200 },
      store: { update: () => Promise.reject(new Error('no such file')) },
    })
    const call = await settle(budget.reserve(8, 'microblog.search'))
    expect(call.error).toMatchObject({ reason: 'no such file' })
    const [retry] = timers.mock.results.slice(-1)
    expect((retry!.value as NodeJS.Timeout).hasRef()).toBe(false)
    vi.unstubAllGlobals()
    expect((await settle(budget.close())).error).toBeUndefined()
    expect((await settle(budget.close())).error).toBeUndefined()
  })

  it('keeps its process alive while the store does not know an outcome', async () => {
    const { world, budgetOf } = openLateStore()
    const budget = budgetOf()
    const reservation = await reserved(budget, 2)
    const timers = noteTimers()
    world.replyMs = 1e6
    reservation.settle(2)
    await pass(1000)
    expect((timers.mock.results.at(-1)!.value as NodeJS.Timeout).hasRef()).toBe(true)
    vi.unstubAllGlobals()
    world.replyMs = 0
    await settle(budget.close())
  })
})
