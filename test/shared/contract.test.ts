import { afterEach, describe, expect, it } from 'vitest'
import { SharedLimiter, type SharedStore, memoryStore } from '../../src/shared/index.ts'
import { limiterContract } from '../limits/contract.ts'
import { realTime } from '../support/real-time.ts'

let made: SharedLimiter[] = []
const limits = { inFlight: 1, perMinute: 4, windowMs: 600 }

function make(store: SharedStore, count: number): SharedLimiter[] {
  made = Array.from({ length: count }, () => new SharedLimiter({ store, organization: 'acme', limits }))
  return made
}

async function end(): Promise<void> {
  await Promise.all(made.map((limiter) => limiter.close()))
}

limiterContract('SharedLimiter on memoryStore()', {
  time: realTime,
  make(count, limits) {
    const store = memoryStore()
    made = Array.from({ length: count }, () => new SharedLimiter({ store, organization: 'acme', limits }))
    return made
  },
  end,
})

describe('SharedLimiter on a store without watch()', () => {
  afterEach(end)
  const share = { inFlight: 1, perMinute: 4 }
  const ticket = { surface: 'a', share, priority: 0, isRetry: false, maxHoldWait: 60_000 }

  it('finds a free slot, and keeps the limits', async () => {
    const { update } = memoryStore()
    const limiters = make({ update }, 3)
    let open = 0
    let peak = 0
    const sends: number[] = []
    const calls = Array.from({ length: 9 }, async (_, i) => {
      const lease = await limiters[i % 3]!.acquire({ ...ticket })
      peak = Math.max(peak, ++open)
      lease.sent()
      sends.push(performance.now())
      await realTime.pass(10)
      open--
      lease.answered(null)
      lease.release()
    })
    await Promise.all(calls)
    expect(peak).toBe(1)
    sends.forEach((at, i) => expect((sends[i + 4] ?? Infinity) - at).toBeGreaterThanOrEqual(600))
  })

  it('finds a slot as soon after many calls as at first', async () => {
    const { update } = memoryStore()
    const limiters = Array.from({ length: 2 }, () => {
      const unlimited = { ...limits, perMinute: 1000 }
      return new SharedLimiter({ store: { update }, organization: 'acme', limits: unlimited })
    })
    made = limiters
    const [first, second] = limiters
    const other = { ...ticket, surface: null, share: { inFlight: 1, perMinute: 1000 } }
    for (let i = 0; i < 20; i++) (await second!.acquire({ ...other })).release()
    const taken = await first!.acquire({ ...other })
    const waiting = second!.acquire({ ...other })
    await realTime.pass(20)
    const releasedAt = performance.now()
    taken.release()
    ;(await waiting).release()
    // Later looks are up to two seconds apart.
    expect(performance.now() - releasedAt).toBeLessThan(500)
  })

  it('hears of a 429 of another process when it asks', async () => {
    const { update } = memoryStore()
    const [first, second] = make({ update }, 2)
    ;(await first!.acquire({ ...ticket })).release()
    first!.hold('a', 30_000)
    await realTime.pass(50)
    const refused = second!.acquire({ ...ticket, maxHoldWait: 1000 })
    await expect(refused).rejects.toMatchObject({ reason: 'rate_limited' })
  })
})
