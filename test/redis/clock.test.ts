import { beforeEach, describe, expect, it } from 'vitest'
import type { SharedLimiterOptions } from '../../src/extensions/shared/index.ts'
import { realTime } from '../support/real-time.ts'
import { open as openBudget } from './budgets.ts'
import { setClock, settable } from './set-clock.ts'
import { admin, finish, isStored, network, newOrganization, server, watch, worker } from './workers.ts'

const { pass, settle } = realTime

beforeEach(() => admin.flushall())

const minute = 60_000
const jumps = [
  ['five seconds ahead', 5000],
  ['an hour ahead', 60 * minute],
  ['an hour back', -60 * minute],
] as const
/** Redis keeps unused keys for a day. */
const year = ['a year ahead, so that all keys expire', 365 * 24 * 60 * minute] as const

/** A process that notes the jumps of the clock that it logs. */
async function start(organization: string, options: Partial<Omit<SharedLimiterOptions, 'store'>> = {}) {
  const logged: unknown[] = []
  const warn = (message: string, { milliseconds }: Record<string, unknown>) =>
    void logged.push(message === 'the clock of the store has jumped' ? Number(milliseconds) : message)
  return {
    ...(await worker(organization, { storeTimeout: 10_000, ...options, logger: { warn } }, settable)),
    logged,
  }
}

/** The size of a jump is known as well as the time that a command took. */
const about = (ms: number): unknown => expect.toSatisfy((logged: number) => Math.abs(logged - ms) < 2000)

describe('SharedLimiter when the clock of Redis jumps', () => {
  it.each([...jumps, year])('keeps the rate limit, goes on, and logs the jump, %s', async (_, jump) => {
    const limits = { perMinute: 4, windowMs: 1500 }
    const org = newOrganization()
    const workers = await Promise.all([1, 2, 3].map(() => start(org, { limits })))
    const sends: number[] = []
    const work = workers.map(async ({ ask }) => {
      while (sends.length < 20) {
        const lease = await ask()
        sends.push(performance.now())
        finish(lease)
        if (sends.length !== 6) continue
        await pass(100)
        await setClock(admin, jump)
      }
    })
    await Promise.all(work)
    sends.forEach((at, i) => expect((sends[i + 4] ?? Infinity) - at).toBeGreaterThanOrEqual(limits.windowMs))
    expect(workers.map(({ logged }) => logged)).toEqual(workers.map(() => [about(jump)]))
  })

  it('counts the time that had passed when the clock goes back', async () => {
    const limits = { perMinute: 1, windowMs: 3000 }
    const { ask } = await start(newOrganization(), { limits })
    finish(await ask())
    await pass(limits.windowMs + 500)
    await setClock(admin, -60 * minute)
    const next = watch(ask())
    await expect.poll(() => next.lease, { timeout: 2000 }).toBeDefined()
  })

  it.each(jumps)('closes a surface as long as a 429 announced, %s', async (_, jump) => {
    const org = newOrganization()
    const [first, second] = [await start(org), await start(org)]
    for (const { ask } of [first, second]) finish(await ask())
    await pass(300)
    first.limiter.closeSurface('a', minute)
    await pass(100)
    await setClock(admin, jump)
    const { error } = await settle(second.ask({ maxClosedWaitMs: 1000 }))
    const { remaining } = error as { remaining: number }
    expect(Math.abs(remaining - minute + 5000)).toBeLessThanOrEqual(5000)
  })

  it('trusts the clock when all processes have ended', async () => {
    const org = newOrganization()
    const limits = { perMinute: 1, windowMs: 60 * minute }
    const first = await start(org, { limits })
    finish(await first.ask())
    first.limiter.closeSurface('b', 30 * minute)
    await first.limiter.close()
    first.connection.cut()
    await expect.poll(() => admin.client('LIST', 'TYPE', 'PUBSUB')).toBe('')
    await setClock(admin, 61 * minute)
    const second = await start(org, { limits })
    for (const surface of ['a', 'b']) finish(await second.ask({ surface }))
    expect(second.logged).toEqual([])
  })

  it('takes neither an idle time nor a slow Redis for a jump', async () => {
    const org = newOrganization()
    const options = { limits: { perMinute: 1, windowMs: 500 } }
    const [first, second] = [await start(org, options), await start(org, options)]
    for (const { ask } of [first, second]) finish(await ask())
    await pass(2000)
    await server.suspend()
    const asked = [first, second].map(({ ask }, i) => ask({ surface: `surface ${i}` }))
    await pass(1500)
    await server.resume()
    for (const lease of await Promise.all(asked)) finish(lease)
    for (const { ask } of [first, second, first]) finish(await ask())
    expect([first.logged, second.logged]).toEqual([[], []])
  })
})

describe('SharedBudget when the clock of Redis jumps', () => {
  async function open(wrap = settable) {
    const logged: unknown[] = []
    const logger = { warn: (message: string) => void logged.push(message) }
    return { ...(await openBudget('march', 10, { logger }, wrap)), logged }
  }

  it.each(jumps)('keeps reservations, makes others at once, and logs the jump, %s', async (_, jump) => {
    const { budget, logged } = await open()
    const first = await budget.reserve(4, 'any')
    await setClock(admin, jump)
    const second = await budget.reserve(2, 'any')
    expect(await budget.summary()).toMatchObject({ reserved: 6, uncertain: 0, remaining: 4 })
    for (const reservation of [first, second]) reservation.settle(1)
    await budget.close()
    expect(await budget.summary()).toMatchObject({ spent: 2, reserved: 0, uncertain: 0 })
    expect(logged).toEqual(['the clock of the store has jumped'])
  })

  it('counts an outcome once when it is sent again after the jump', async () => {
    const { commands, wrap } = network()
    const { budget } = await open((client) => wrap(settable(client)))
    const { budget: other } = await open()
    const [first, second] = [await budget.reserve(3, 'any'), await other.reserve(2, 'any')]
    const fail = () => Promise.reject(new Error('it closed'))
    // The text is stored, and nobody hears of it.
    commands.meet = async (send) => {
      const reply = await send()
      if (!isStored(reply)) return reply
      commands.meet = fail
      return fail()
    }
    first.settle(3)
    await expect.poll(() => other.summary()).toMatchObject({ spent: 3 })
    await setClock(admin, 2 * 60 * minute)
    second.settle(2)
    await other.flush()
    commands.meet = (send) => send()
    await budget.close()
    await other.close()
    expect(await other.summary()).toMatchObject({ spent: 5, reserved: 0, uncertain: 0 })
  })
})
