import { refuse } from '../support/limiter.ts'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { AbortableLimiter } from './abortable-limiter.ts'
import { pass, settle, useVirtualTime } from '../support/clock.ts'
import { limiterContract } from './contract.ts'
import { use } from './contract-world.ts'

beforeAll(useVirtualTime)
afterAll(() => vi.useRealTimers())

limiterContract('LocalLimiter', {
  time: { pass, settle },
  // One serves all the clients of a process.
  make: (count, limits) => Array<AbortableLimiter>(count).fill(new AbortableLimiter(limits)),
  end: () => {},
})

describe('LocalLimiter', () => {
  const limits = { inFlight: 1, perMinute: Infinity }

  it('waitOf() names no slot at the moment when a closed surface opens', async () => {
    const limiter = new AbortableLimiter({ inFlight: 1 })
    await refuse(limiter, 'a', 1000)
    const waits: unknown[] = []
    setTimeout(() => waits.push(limiter.waitOf('a')), 1000)
    await settle(limiter.acquire({ surface: 'a' }))
    expect(waits).toEqual([null])
  })

  it('Permit.end() takes back the refused request alone when another one is open', async () => {
    const all = { inFlight: 2, perMinute: 20, windowMs: 3000 }
    const limiter = new AbortableLimiter({ ...all, perMinute: 3 }, all)
    const accepted = [performance.now()]
    const open = use(limiter.acquire({}), 20)
    const refused = await limiter.acquire({})
    refused.sent()
    refused.answered()
    refused.end({ refusedForMs: 100 })
    await settle(open)
    for (let sends = 0; sends < 5; sends++)
      await settle(use(limiter.acquire({}), 0, () => accepted.push(performance.now())))
    accepted.slice(3).forEach((at, i) => expect(at - accepted[i]!).toBeGreaterThanOrEqual(3000))
  })

  it("acquire() counts as paced only the call's own wait when the surface is closed", async () => {
    const limiter = new AbortableLimiter(limits)
    await refuse(limiter, 'a', 700)
    const first = use(limiter.acquire({}), 200)
    await pass(300)
    const { value } = await settle(limiter.acquire({}))
    expect(value).toMatchObject({ queued: 200, paced: 400 })
    await first
  })

  it('acquire() keeps no slot when the only call leaves as its slot is given out', async () => {
    const limiter = new AbortableLimiter({ inFlight: 1 })
    const abort = new AbortController()
    const left = limiter.acquire({ signal: abort.signal })
    abort.abort()
    await expect(left).rejects.toBe(abort.signal.reason)
    expect((await settle(limiter.acquire({}))).ms).toBe(0)
  })

  it('acquire() leaves no listener on the signal when it has granted a permit', async () => {
    const { signal } = new AbortController()
    const [add, remove] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
    const permit = await new AbortableLimiter(limits).acquire({ signal })
    expect(add).toHaveBeenCalledOnce()
    expect(remove).toHaveBeenCalledExactlyOnceWith('abort', add.mock.calls[0]?.[1])
    permit.end()
  })
})
