import { describe, expect, it, vi } from 'vitest'
import type { SharedBudget } from '../../src/extensions/shared/index.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { openLateStore, refusalOf, reserved, summaryOf, unsettled } from './late-store.ts'

virtualTime()

const hour = 3_600_000
const lost = { reason: expect.stringContaining('lost a part') as unknown }

describe('SharedBudget', () => {
  it('counts each outcome once, exactly, and releases uncharged credits', async () => {
    const { budgetOf } = openLateStore()
    const budget = budgetOf({ limit: 1 })
    const [settled, partly] = [await reserved(budget, 0.1), await reserved(budget, 0.2)]
    const [doubted, released] = [await reserved(budget, 0.3), await reserved(budget, 0.1)]
    expect(await summaryOf(budget)).toMatchObject({ reserved: 0.7, remaining: 0.3 })
    settled.settle(0.1)
    settled.settle(0, 0.1)
    partly.settle(0.2, 0.1)
    doubted.settle(0, 0.2)
    released.settle(0)
    released.settle(0.1)
    await settle(budget.flush())
    expect(await summaryOf(budget)).toMatchObject({ spent: 0.3, uncertain: 0.3, reserved: 0, remaining: 0.4 })
  })

  it('flush() resolves while other calls reserve and release all the time', async () => {
    const { world, budgetOf } = openLateStore()
    world.replyMs = 10
    const budget = budgetOf()
    let isOver = false
    const loop = async (ms: number): Promise<void> => {
      while (!isOver) {
        const reservation = await budget.reserve(1, 'microblog.search')
        await new Promise((resolve) => setTimeout(resolve, ms))
        reservation.settle(0)
      }
    }
    const loops = Array.from({ length: 30 }, (_, n) => loop(n % 9))
    await pass(100)
    let isFlushed = false
    void budget.flush().then(() => (isFlushed = true))
    await pass(200)
    expect(isFlushed).toBe(true)
    isOver = true
    await pass(100)
    await Promise.all(loops)
  })

  it('close() leaves no timer behind, and flush() and close() send what it could not, when the store is back', async () => {
    const { world, budgetOf } = openLateStore()
    const budget = budgetOf()
    const reservation = await reserved(budget, 2)
    world.clock = () => NaN
    reservation.settle(2)
    const unavailable = { code: 'budget_unavailable' }
    expect((await settle(budget.close())).error).toMatchObject(unavailable)
    await pass(1000)
    expect(vi.getTimerCount()).toBe(0)
    expect((await settle(budget.flush())).error).toMatchObject(unavailable)
    world.clock = (at) => at
    expect((await settle(budget.close())).error).toBeUndefined()
    expect(await summaryOf(budget)).toMatchObject({ spent: 2, reserved: 0 })
    expect((await settle(budget.reserve(1, 'any'))).error).toMatchObject({ reason: 'it is closed' })
    world.clock = () => NaN
    expect((await settle(budget.flush())).error).toBeUndefined()
  })

  it('refuses no call whose credits come back during its update', async () => {
    const { world, budgetOf } = openLateStore()
    const budget = budgetOf({ limit: 10 })
    const reservation = await reserved(budget, 10)
    world.replyMs = 100
    const next = budget.reserve(10, 'microblog.search')
    await pass(50)
    reservation.settle(0)
    expect((await settle(next)).error).toBeUndefined()
  })

  it('stores an outcome at once, without flush()', async () => {
    const { budgetOf } = openLateStore()
    ;(await reserved(budgetOf(), 10)).settle(4, 2)
    await pass(50)
    expect(await summaryOf(budgetOf())).toMatchObject({ spent: 4, uncertain: 2, reserved: 0 })
  })

  it('summary() says when the period ends', async () => {
    const { budgetOf } = openLateStore()
    const day = 24 * hour
    const end = day * (Math.floor(Date.now() / day) + 1)
    expect(await summaryOf(budgetOf({ every: 'day' }))).toMatchObject({ remaining: 1000, endsAt: end })
    const inParis = { every: 'day', timeZone: 'Europe/Paris', name: 'b' }
    expect(await summaryOf(budgetOf(inParis))).toMatchObject({ endsAt: end - hour })
    expect(await summaryOf(budgetOf({ name: 'c' }))).toMatchObject({ endsAt: null })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('starts anew for all processes when its period ends, and counts an outcome in the period of its call', async () => {
    const { budgetOf } = openLateStore()
    const options = { limit: 10, every: 'hour' }
    const [first, second] = [budgetOf(options), budgetOf(options)]
    const refused = async (budget: SharedBudget, credits: number) =>
      (await settle(budget.reserve(credits, 'any'))).error
    // Each has its key, whose digest takes real time: virtual time would pass meanwhile.
    for (const budget of [first, second]) await summaryOf(budget)
    await pass(hour - 2000)
    const [crossing, doubted] = [await reserved(first, 6), await reserved(second, 2)]
    expect(await refused(second, 3)).toMatchObject({ budget: { remaining: 2, name: 'a' } })
    await pass(3000)
    expect(await summaryOf(second)).toMatchObject({ ...unsettled, remaining: 10 })
    const next = await reserved(second, 9)
    const { endsAt: resetsAt } = (await summaryOf(first))!
    expect(await refused(first, 2)).toMatchObject({ budget: { needed: 2, remaining: 1, resetsAt } })
    crossing.settle(6)
    doubted.settle(0, 2)
    next.settle(9)
    await settle(Promise.all([first.close(), second.close()]))
    expect(await summaryOf(first)).toMatchObject({ spent: 9, uncertain: 0, reserved: 0, remaining: 1 })
  })

  it('stores nothing when summary() is called and a call is refused', async () => {
    const { world, budgetOf } = openLateStore()
    const budget = budgetOf({ limit: 10 })
    const reservation = await reserved(budget, 8)
    const { writes } = world
    const other = budgetOf({ limit: 10 })
    await summaryOf(budget)
    await summaryOf(other)
    for (const each of [budget, other])
      expect((await settle(each.reserve(3, 'any'))).error).toMatchObject({ budget: { remaining: 2 } })
    expect(world.writes).toBe(writes)
    reservation.settle(0)
    await settle(budget.close())
    await pass(50_000)
    const { writes: before } = world
    await summaryOf(budget)
    expect(world.writes).toBe(before)
  })

  it('with a period can be used in the next one after the store has lost its data', async () => {
    const { world, budgetOf } = openLateStore()
    const budget = budgetOf({ every: 'hour' })
    await reserved(budget, 8)
    for (const met of [() => undefined, (text?: string) => text]) {
      world.meet = met
      expect(await refusalOf(budget)).toMatchObject(lost)
    }
    await pass(hour)
    expect(await summaryOf(budget)).toMatchObject({ remaining: 1000 })
    await settle(budget.close())
  })

  it.each(['', 'null', '{'])('is lost when the store has another text than a budget: %j', async (text) => {
    const { world, budgetOf } = openLateStore()
    world.meet = () => text
    expect(await refusalOf(budgetOf())).toMatchObject(lost)
  })

  it.each([
    [{ every: 'week' }, "`every` must be 'hour', 'day' or 'month'"],
    [{ every: 'day', timeZone: 'Mars/Base' }, 'timeZone must be a name'],
    [{ limit: Infinity }, 'limit must be a finite number of at least 0, got Infinity'],
    [{ limit: -1 }, 'limit must be a finite number of at least 0, got -1'],
    [{ name: '' }, 'name must be a string'],
    [{ limits: 1 }, 'unknown option limits'],
  ])('refuses %j', (options, message) => expect(() => openLateStore().budgetOf(options)).toThrow(message))

  it.each([NaN, undefined, 'soon'])('refuses the clock %j of a store', async (clock) => {
    const { world, budgetOf } = openLateStore()
    world.clock = () => clock
    const reason = `the clock of the store is no number: ${String(clock)}`
    expect(await refusalOf(budgetOf())).toMatchObject({ reason })
    expect(vi.getTimerCount()).toBe(0)
  })
})
