import { afterEach, describe, expect, it } from 'vitest'
import { SharedLimiter, memoryStore } from '../../src/extensions/shared/index.ts'
import { realTime } from '../support/real-time.ts'
import { sharedLimiterContract } from './limiter-contract.ts'

const store = memoryStore()
sharedLimiterContract('SharedLimiter on memoryStore()', () => store)

describe('SharedLimiter on a store without watch()', () => {
  let made: SharedLimiter[] = []
  afterEach(() => Promise.all(made.map((limiter) => limiter.close())))
  const share = { inFlight: 1, perMinute: 1000 }
  const { signal } = new AbortController()
  const ticket = { surface: 'a', priority: 0, isRetry: false, maxHoldWait: 60_000, queuedAt: 0, signal }

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
    const other = { ...ticket, surface: null }
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

  it('hears of a 429 of another process when it asks', async () => {
    const [first, second] = open()
    ;(await first.acquire({ ...ticket })).release()
    first.hold('a', 30_000)
    await realTime.pass(50)
    const refused = second.acquire({ ...ticket, maxHoldWait: 1000 })
    await expect(refused).rejects.toMatchObject({ reason: 'rate_limited' })
  })
})
