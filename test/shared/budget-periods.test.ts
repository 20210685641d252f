import { describe, expect, it, vi } from 'vitest'
import type { Reservation } from '../../src/index.ts'
import type { SharedBudget } from '../../src/extensions/shared/index.ts'
import { makeClient, ok, scriptedService, slow } from '../support/service.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { openLateStore, reserved, summaryOf, unsettled } from './late-store.ts'

const service = scriptedService()
virtualTime()

const hour = 3_600_000
const noon = Date.parse('2026-11-20T12:00:00Z')
const unavailable = { code: 'budget_unavailable', temporary: true }
const renew = (reservation: Reservation) => settle(Promise.resolve(reservation.renew!()))
const spend = async (budget: SharedBudget, credits: number) => {
  const { value, error } = await settle(budget.reserve(credits, 'any'))
  value?.settle(credits)
  await settle(budget.flush())
  return error
}

describe('new SharedBudget({ every })', () => {
  it.each([5000, 11 * hour, -11 * hour])(
    'keeps what is spent and reserved when the clock of its store jumps by %i ms within a day, and logs that once',
    async (jump) => {
      vi.setSystemTime(noon)
      const { world, budgetOf } = openLateStore()
      const log: string[] = []
      const logger = { warn: (line: string) => void log.push(line) }
      const budget = budgetOf({ limit: 10, every: 'day', logger })
      const [first, lost] = [await reserved(budget, 4), await reserved(budget, 1)]
      // Its outcome is stored, and sent again, for no reply came.
      world.replyMs = 5000
      lost.settle(1)
      await pass(500)
      world.clock = (at) => at + jump
      await pass(2000)
      world.replyMs = 0
      await pass(6000)
      const second = await reserved(budget, 2)
      expect(await summaryOf(budget)).toMatchObject({ spent: 1, reserved: 6, uncertain: 0, remaining: 3 })
      for (const each of [first, second]) each.settle(1)
      await settle(budget.close())
      expect(await summaryOf(budget)).toMatchObject({ spent: 3, reserved: 0, uncertain: 0 })
      expect(log.filter((line) => line.includes('clock'))).toEqual(['the clock of the store has jumped'])
    },
  )

  it.each([
    ['hour', hour],
    ['day', 24 * hour],
    ['month', 31 * 24 * hour],
  ] as const)('keeps what each %s has spent when the clock is set to and fro', async (every, ms) => {
    vi.setSystemTime(noon)
    const { world, budgetOf } = openLateStore()
    const budget = budgetOf({ limit: 10, every })
    for (const [i, jump] of [0, 3, 0, 2, 800, 0, 1].entries()) {
      world.clock = (at) => at + jump * ms
      await spend(i % 2 === 0 ? budget : budgetOf({ limit: 10, every }), 4)
    }
    const spent = async (jump: number) => {
      world.clock = (at) => at + jump * ms
      return (await summaryOf(budget))?.spent
    }
    const all = []
    for (const jump of [0, 1, 2, 3, 800]) all.push(await spent(jump))
    // The third time, the first one had too little left.
    expect(all).toEqual([8, 4, 4, 4, 4])
  })

  it('refuses a day before the first one, and goes on the day after', async () => {
    const { world, budgetOf } = openLateStore()
    world.clock = () => Date.parse('2140-01-01')
    await spend(budgetOf({ every: 'day' }), 4)
    world.clock = () => noon
    const advice = 'set the clock right, or wait for the next period'
    const reason = `the clock shows 2026-11-20, but this budget was used in 2140-01-01 before; ${advice}`
    for (let times = 0; times < 2; times++)
      expect(await spend(budgetOf({ every: 'day' }), 4)).toMatchObject({ ...unavailable, reason })
    world.clock = () => noon + 24 * hour
    expect(await spend(budgetOf({ every: 'day' }), 4)).toBeUndefined()
  })

  it('counts for the new day what a process spends that slept over midnight, for each process', async () => {
    vi.setSystemTime('2026-11-27T20:00:00Z')
    const { budgetOf } = openLateStore()
    const budget = budgetOf({ limit: 200, every: 'day' })
    await spend(budget, 1)
    // The monotonic clock stops in a sleep.
    vi.setSystemTime('2026-11-28T04:00:00Z')
    await spend(budget, 150)
    for (const time of ['2026-11-28T05:00:00Z', '2026-11-28T23:59:00Z']) {
      vi.setSystemTime(time)
      const summary = await summaryOf(budgetOf({ limit: 200, every: 'day' }))
      expect(summary).toMatchObject({ spent: 150, endsAt: Date.parse('2026-11-29') })
    }
  })

  it.each([
    [2, 'sent'],
    [3, 'CreditBudgetError'],
  ])(
    'counts a call in the day in which it is sent: with %i calls of the new day before it, it ends with %s',
    async (more, end) => {
      vi.setSystemTime('2026-11-20T23:59:59Z')
      service.script(slow(2000))
      const { budgetOf } = openLateStore()
      const options = { limit: 6, every: 'day' }
      const [budget, other] = [budgetOf(options), budgetOf(options)]
      for (const each of [budget, other]) await summaryOf(each)
      const client = makeClient({ budget })
      const search = () => client.microblog.search({ query: 'a' }).then()
      const before = [1, 2, 3].map(search)
      await pass(1500)
      for (let i = 0; i < more; i++) expect(await spend(other, 2)).toBeUndefined()
      const { value } = await settle(Promise.allSettled(before))
      const ends = value!.map((each) => (each.status === 'fulfilled' ? 'sent' : (each.reason as Error).name))
      expect(ends).toEqual(['sent', 'sent', end])
      await settle(budget.flush())
      expect(await summaryOf(other)).toMatchObject({ spent: 6, uncertain: 0, reserved: 0 })
      vi.setSystemTime('2026-11-20T12:00:00Z')
      expect(await summaryOf(other)).toMatchObject({ spent: 4, uncertain: 0, reserved: 0 })
    },
  )

  it('asks the store once for the calls that wait over midnight, and not for others', async () => {
    vi.setSystemTime('2026-11-20T23:59:50Z')
    service.script(() => ok())
    const { world, budgetOf } = openLateStore()
    const budget = budgetOf({ every: 'day' })
    const reservation = await reserved(budget, 2)
    await pass(5000)
    const { writes } = world
    await renew(reservation)
    expect(world.writes).toBe(writes)
    await pass(6000)
    await renew(reservation)
    expect(await summaryOf(budgetOf({ every: 'day' }))).toMatchObject({ reserved: 2 })
    vi.setSystemTime('2026-11-20T12:00:00Z')
    reservation.settle(0)
    await settle(budget.close())
    expect(await summaryOf(budgetOf({ every: 'day' }))).toMatchObject(unsettled)
  })

  it('counts a call in the day in which it is sent when the clock of its process was set back', async () => {
    vi.setSystemTime('2026-11-20T23:59:50Z')
    const { world, budgetOf } = openLateStore()
    const [startedAt, start] = [Date.now(), performance.now()]
    world.clock = () => startedAt + performance.now() - start
    const budget = budgetOf({ every: 'day' })
    const reservation = await reserved(budget, 2)
    vi.setSystemTime('2026-11-20T12:00:00Z')
    await pass(15_000)
    await renew(reservation)
    expect(await summaryOf(budget)).toMatchObject({ reserved: 2 })
  })

  it.each([400, 999])('waits for midnight with a call of the last second, after %i ms of it', async (ms) => {
    vi.setSystemTime(Date.parse('2026-11-20T23:59:59Z') + ms)
    const { budgetOf } = openLateStore()
    const budget = budgetOf({ every: 'day' })
    const reservation = await reserved(budget, 2)
    await renew(reservation)
    expect(Date.now()).toBeGreaterThan(Date.parse('2026-11-21T00:00:00Z'))
    reservation.settle(2)
    await settle(budget.flush())
    expect(await summaryOf(budget)).toMatchObject({ spent: 2, uncertain: 0, reserved: 0 })
    vi.setSystemTime('2026-11-20T12:00:00Z')
    expect(await summaryOf(budget)).toMatchObject(unsettled)
  })

  it.each([
    ['before the store is asked', 0],
    ['before its reply comes', 50],
  ])('leaves nothing reserved for a call that ends over midnight, %s', async (_, replyMs) => {
    vi.setSystemTime('2026-11-20T23:59:50Z')
    const { world, budgetOf } = openLateStore()
    const budget = budgetOf({ every: 'day' })
    const reservation = await reserved(budget, 2)
    vi.setSystemTime('2026-11-21T00:00:10Z')
    world.replyMs = replyMs
    const renewing = Promise.resolve(reservation.renew!()).catch(() => {})
    if (replyMs > 0) await pass(10)
    reservation.settle(0)
    await settle(renewing)
    await pass(5000)
    expect(await summaryOf(budgetOf({ every: 'day' }))).toMatchObject(unsettled)
    await pass(120_000)
    expect(await summaryOf(budgetOf({ every: 'day' }))).toMatchObject(unsettled)
  })

  it('does not send a call that waits over midnight while the store is away', async () => {
    vi.setSystemTime('2026-11-20T23:59:59Z')
    service.script(slow(2000))
    const { world, budgetOf } = openLateStore()
    const client = makeClient({ budget: budgetOf({ every: 'day' }) })
    const calls = [1, 2, 3].map(() => client.microblog.search({ query: 'a' }).then())
    await pass(1500)
    world.clock = () => NaN
    const { value } = await settle(Promise.allSettled(calls))
    expect(value?.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    const reason = { ...unavailable, charged: 'no', operation: 'microblog.search' }
    expect(value?.[2]).toMatchObject({ reason })
    expect(service.arrivals).toHaveLength(2)
    world.clock = (at) => at
    await client.close()
  })
})
