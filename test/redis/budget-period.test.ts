import { beforeEach, describe, expect, it } from 'vitest'
import type { SharedBudgetOptions } from '../../src/extensions/shared/index.ts'
import { realTime } from '../support/real-time.ts'
import { open as openBudget } from './budgets.ts'
import { setClock, settable } from './set-clock.ts'
import { admin } from './workers.ts'

const { pass } = realTime
const hour = 3_600_000

beforeEach(() => admin.flushall())

/** A process with a budget of 10 credits. */
const open = (options: Partial<SharedBudgetOptions>) => openBudget('acme', 10, options, settable)

/** Sets the clock of Redis to milliseconds before a time. */
async function setClockBefore(time: string, ms: number) {
  const [seconds, micros] = await admin.time()
  await setClock(admin, Math.round(Date.parse(time) - ms - Number(seconds) * 1000 - Number(micros) / 1000))
}

describe('new SharedBudget({ every })', () => {
  it.each([
    [{ every: 'day' }, '2027-01-01T00:00Z'],
    [{ every: 'hour' }, '2027-01-01T15:00Z'],
    // The 25th of October has 25 hours there, so that it ends an hour later than it would in summer.
    [{ every: 'day', timeZone: 'Europe/Paris' }, '2026-10-25T23:00Z'],
    [{ every: 'month', timeZone: 'Europe/Paris' }, '2026-03-31T22:00Z'],
  ] as const)('%o starts anew for all processes by the clock of Redis, at %s', async (options, time) => {
    await setClockBefore(time, 2000)
    const [{ budget: first }, { budget: second }] = [await open(options), await open(options)]
    const crossing = await first.reserve(6, 'any')
    const doubted = await second.reserve(2, 'any')
    await expect(second.reserve(3, 'any')).rejects.toMatchObject({ remaining: 2, budget: 'acme' })
    await pass(2500)
    expect(await second.summary()).toMatchObject({ spent: 0, uncertain: 0, reserved: 0, remaining: 10 })
    const next = await second.reserve(9, 'any')
    await expect(first.reserve(2, 'any')).rejects.toMatchObject({ needed: 2, remaining: 1 })
    crossing.settle(6)
    doubted.markUncertain()
    next.settle(9)
    await Promise.all([first.flush(), second.flush()])
    expect(await first.summary()).toMatchObject({ spent: 9, uncertain: 0, reserved: 0, remaining: 1 })
  })

  it('never grants more than the limit in a period when many processes reserve around midnight', async () => {
    await setClockBefore('2027-01-01T00:00Z', 1000)
    const all = await Promise.all([0, 1, 2, 3].map(() => open({ every: 'day' })))
    let granted = 0
    const work = all.map(async ({ budget }) => {
      for (const end = performance.now() + 2500; performance.now() < end;) {
        const reservation = await budget.reserve(1, 'any').catch(() => null)
        if (reservation !== null) granted++
        reservation?.settle(1)
        await pass(5)
      }
    })
    await Promise.all(work)
    expect(granted).toBe(20)
    expect(await all[0]!.budget.summary()).toMatchObject({ spent: 10, remaining: 0 })
  })

  it.each([24 * hour, -24 * hour])(
    'does not start anew when the clock of Redis is set by %i ms',
    async (ms) => {
      const { budget } = await open({ every: 'day' })
      ;(await budget.reserve(8, 'any')).settle(8)
      await budget.flush()
      await setClock(admin, ms)
      expect(await budget.summary()).toMatchObject({ spent: 8, remaining: 2 })
      await expect(budget.reserve(3, 'any')).rejects.toMatchObject({ remaining: 2 })
    },
  )

  it('counts the reservation of a dead process as uncertain only in its own period', async () => {
    await setClockBefore('2027-01-01T00:00Z', 1500)
    const options = { every: 'day', lease: 600 } as const
    const [dead, { budget: alive }] = [await open(options), await open(options)]
    await dead.budget.reserve(4, 'any')
    dead.connection.cut()
    await pass(1000)
    expect(await alive.summary()).toMatchObject({ uncertain: 4 })
    await pass(1000)
    expect(await alive.summary()).toMatchObject({ uncertain: 0, remaining: 10 })
  })

  it('refuses an unknown period and time zone', async () => {
    await expect(open({ every: 'week' as 'day' })).rejects.toThrow("`every` must be 'hour', 'day' or 'month'")
    await expect(open({ every: 'day', timeZone: 'Mars/Base' })).rejects.toThrow('timeZone must be a name')
  })
})
