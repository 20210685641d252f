import { beforeEach, describe, expect, it } from 'vitest'
import { realTime } from '../support/real-time.ts'
import { setClock, settable } from './set-clock.ts'
import { admin, finish, newOrganization, worker } from './workers.ts'

beforeEach(() => admin.flushall())

const minute = 60_000
/** What else a jump may do is in test/shared. */
const jumps = [
  ['an hour back', -60 * minute],
  // Redis keeps unused keys for a day.
  ['a year ahead, so that all keys expire', 365 * 24 * 60 * minute],
] as const

/** A process that notes the jumps of the clock that it logs. */
async function start(organization: string, limits: object) {
  const logged: unknown[] = []
  const warn = (message: string, { milliseconds }: Record<string, unknown>) =>
    void logged.push(message === 'the clock of the store has jumped' ? Number(milliseconds) : message)
  const options = { storeTimeout: 10_000, limits, logger: { warn } }
  return { ...(await worker(organization, options, settable)), logged }
}

/** The size of a jump is known as well as the time that a command took. */
const about = (ms: number): unknown => expect.toSatisfy((logged: number) => Math.abs(logged - ms) < 2000)

describe('SharedLimiter when the clock of Redis jumps', () => {
  it.each(jumps)('keeps the rate limit, goes on, and logs the jump, %s', async (_, jump) => {
    const limits = { perMinute: 4, windowMs: 1500 }
    const org = newOrganization()
    const workers = await Promise.all([1, 2, 3].map(() => start(org, limits)))
    const sends: number[] = []
    const work = workers.map(async ({ ask }) => {
      while (sends.length < 20) {
        const lease = await ask()
        sends.push(performance.now())
        finish(lease)
        if (sends.length !== 6) continue
        await realTime.pass(100)
        await setClock(admin, jump)
      }
    })
    await Promise.all(work)
    sends.forEach((at, i) => expect((sends[i + 4] ?? Infinity) - at).toBeGreaterThanOrEqual(limits.windowMs))
    expect(workers.map(({ logged }) => logged)).toEqual(workers.map(() => [about(jump)]))
  })
})
