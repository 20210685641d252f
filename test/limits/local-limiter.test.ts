import { refuse } from '../support/limiter.ts'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Permit, type QueueRequest } from '../../src/limits/interface.ts'
import { AbortableLimiter } from './abortable-limiter.ts'
import { pass, settle, useVirtualTime } from '../support/clock.ts'
import { limiterContract } from './contract.ts'

beforeAll(useVirtualTime)
afterAll(() => vi.useRealTimers())

limiterContract('LocalLimiter', {
  time: { pass, settle },
  // One serves all the clients of a process.
  make: (count, limits) => Array<AbortableLimiter>(count).fill(new AbortableLimiter(limits)),
  end: () => {},
})

describe('LocalLimiter', () => {
  /** Asks for a client that takes one slot at a time and is not paced. */
  const client =
    (limiter: AbortableLimiter) =>
    (request: Partial<QueueRequest> = {}): Promise<Permit> =>
      limiter.acquire({ signal: new AbortController().signal, ...request })

  it('waitOf() names no slot at the moment when a closed surface opens', async () => {
    const limiter = new AbortableLimiter({ inFlight: 1 })
    await refuse(limiter, 'a', 1000)
    const waits: unknown[] = []
    setTimeout(() => waits.push(limiter.waitOf('a')), 1000)
    await settle(client(limiter)({ surface: 'a' }))
    expect(waits).toEqual([null])
  })

  it('acquire() serves in the order of priority when a call leaves the middle of the queue', async () => {
    const ask = client(new AbortableLimiter({ inFlight: 1, perMinute: Infinity }))
    const blocking = await ask()
    const abort = new AbortController()
    const order: number[] = []
    // The last one takes the place of 40, and has to go before 50.
    const calls = [100, 50, 90, 40, 30, 60, 70].map((priority) =>
      ask({ priority, ...(priority === 40 && { signal: abort.signal }) }).then((permit) => {
        order.push(priority)
        permit.end()
      }),
    )
    abort.abort()
    blocking.end()
    await settle(Promise.allSettled(calls))
    expect(order).toEqual([100, 90, 70, 60, 50, 30])
  })

  it('Permit.end() takes back the refused request alone when another one is open', async () => {
    const all = { inFlight: 2, perMinute: 20, windowMs: 3000 }
    const limiter = new AbortableLimiter({ ...all, perMinute: 3 }, all)
    const start = (): Promise<Permit> =>
      limiter.acquire({ surface: 'a', signal: new AbortController().signal })
    const accepted = [performance.now()]
    const open = await start()
    open.sent()
    open.answered()
    const refused = await start()
    refused.sent()
    refused.answered()
    refused.end({ refusedForMs: 100 })
    await pass(20)
    open.end()
    for (let sends = 0; sends < 5; sends++) {
      const { value: permit } = await settle(start())
      accepted.push(performance.now())
      permit?.sent()
      permit?.answered()
      permit?.end()
    }
    accepted.slice(3).forEach((at, i) => expect(at - accepted[i]!).toBeGreaterThanOrEqual(3000))
  })

  it("acquire() counts as paced only the call's own wait when the surface is closed", async () => {
    const limiter = new AbortableLimiter({ inFlight: 1, perMinute: Infinity })
    const ask = client(limiter)
    await refuse(limiter, 'a', 700)
    const first = ask().then((permit) => setTimeout(() => permit.end(), 200))
    await pass(300)
    const { value } = await settle(ask())
    expect(value).toMatchObject({ queued: 200, paced: 400 })
    await first
  })

  it('acquire() keeps no slot when the only call leaves as its slot is given out', async () => {
    const ask = client(new AbortableLimiter({ inFlight: 1 }))
    const abort = new AbortController()
    const left = ask({ signal: abort.signal })
    abort.abort()
    await expect(left).rejects.toBe(abort.signal.reason)
    expect((await settle(ask())).ms).toBe(0)
  })

  it('acquire() leaves no listener on the signal when it has granted a permit', async () => {
    const { signal } = new AbortController()
    const [add, remove] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
    const permit = await client(new AbortableLimiter({ inFlight: 1, perMinute: Infinity }))({ signal })
    expect(add).toHaveBeenCalledOnce()
    expect(remove).toHaveBeenCalledExactlyOnceWith('abort', add.mock.calls[0]?.[1])
    permit.end()
  })
})
