import { afterEach, describe, expect, it } from 'vitest'
import { SharedLimiter, type SharedStore, memoryStore } from '../../src/extensions/shared/index.ts'
import { realTime } from '../support/real-time.ts'
import { sharedLimiterContract } from './limiter-contract.ts'
import { queueRequest } from '../support/limiter.ts'

const store = memoryStore()
sharedLimiterContract('SharedLimiter on memoryStore()', () => store)

describe('SharedLimiter on a store without watch()', () => {
  let made: SharedLimiter[] = []
  afterEach(() => Promise.all(made.map((limiter) => limiter.close())))
  const share = { inFlight: 1, perMinute: 1000 }
  const request = queueRequest()

  /** Two processes that poll. */
  function open(): [SharedLimiter, SharedLimiter] {
    const { update } = memoryStore()
    const options = { store: { update }, organization: 'acme', limits: { ...share, windowMs: 600 } }
    const limiters: [SharedLimiter, SharedLimiter] = [new SharedLimiter(options), new SharedLimiter(options)]
    made = limiters
    return limiters
  }

  it('finds a slot as soon after many calls as at first', async () => {
    const [first, second] = open()
    const other = { ...request, surface: null }
    for (let i = 0; i < 20; i++) (await second.acquire({ ...other })).release()
    const taken = await first.acquire({ ...other })
    const waiting = second.acquire({ ...other })
    await realTime.pass(20)
    const releasedAt = performance.now()
    taken.release()
    ;(await waiting).release()
    // Later looks are up to two seconds apart.
    expect(performance.now() - releasedAt).toBeLessThan(500)
  })

  it(
    'polls, and logs it once, when a store has watch() and no notice of its own comes back',
    { timeout: 30_000 },
    async () => {
      const log: string[] = []
      const watch = () => () => {}
      const options = {
        ...{ store: { ...memoryStore(), watch }, organization: 'deaf' },
        ...{
          limits: { ...share, windowMs: 600 },
          logger: { warn: (message: string) => void log.push(message) },
        },
      }
      made = [new SharedLimiter({ ...options, logger: false }), new SharedLimiter(options)]
      const [first, second] = made as [SharedLimiter, SharedLimiter]
      for (let i = 0; i < 2; i++) {
        const taken = await first.acquire({ ...request, surface: null })
        const waiting = second.acquire({ ...request, surface: null })
        const expected = ['no notices of the shared store arrive, so this process polls']
        await expect.poll(() => log, { timeout: 15_000 }).toEqual(expected)
        taken.release()
        ;(await waiting).release()
      }
    },
  )

  it('hears of a 429 of another process when it asks', async () => {
    const [first, second] = open()
    ;(await first.acquire({ ...request })).release()
    first.closeSurface('a', 30_000)
    await realTime.pass(50)
    const refused = second.acquire({ ...request, maxClosedWaitMs: 1000 })
    await expect(refused).rejects.toMatchObject({ reason: 'rate_limited' })
  })
})

describe("SharedLimiter with onUnavailable: 'local'", () => {
  it('counts the requests of all that it knows, and then sends its share of what they leave', async () => {
    const { update, ...rest } = memoryStore()
    let isAway = false
    const store: SharedStore = {
      ...rest,
      update: (key, change) => (isAway ? Promise.reject(new Error('away')) : update(key, change)),
    }
    const limits = { inFlight: 4, perMinute: 8, windowMs: 2000 }
    const options = { store, organization: 'local', limits, onUnavailable: 'local', logger: false } as const
    const limiters = [1, 2, 3, 4].map(() => new SharedLimiter(options))
    const request = queueRequest()
    const sends: number[] = []
    const send = async (limiter: SharedLimiter) => {
      const lease = await limiter.acquire(request)
      sends.push(performance.now())
      lease.answered()
      lease.release()
    }
    // One of them sends seven, and all hear of it.
    for (let i = 0; i < 7; i++) await send(limiters[0]!)
    for (const limiter of limiters) (await limiter.acquire({ ...request, surface: null })).release()
    isAway = true
    await Promise.all(limiters.flatMap((limiter) => [send(limiter), send(limiter), send(limiter)]))
    sends.forEach((at, i) => expect((sends[i + 8] ?? Infinity) - at).toBeGreaterThanOrEqual(limits.windowMs))
    await Promise.all(limiters.map((limiter) => limiter.close()))
  })
})
