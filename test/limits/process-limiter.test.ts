import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Lease, SurfaceClosed } from '../../src/limits/interface.ts'
import type { LocalLimiter } from '../../src/limits/local-limiter.ts'
import { limiterOfProcess } from '../../src/limits/process-limiter.ts'
import { settle, useVirtualTime } from '../support/clock.ts'
import { collectGarbage } from '../support/garbage.ts'
import { queueRequest, refuse } from '../support/limiter.ts'

beforeAll(useVirtualTime)
afterAll(() => vi.useRealTimers())

const baseUrl = 'https://api.example/v1'
const windowMs = 60_000

const ask = (limiter: LocalLimiter, maxClosedWaitMs = Infinity): Promise<Lease> =>
  limiter.acquire(queueRequest({ maxClosedWaitMs }))

/** Uses a limiter as a client would, and lets go of it. */
async function use(owner: string, work: (limiter: LocalLimiter) => unknown): Promise<void> {
  const limiter = limiterOfProcess(owner, baseUrl)
  const lease = await ask(limiter)
  lease.sent()
  await work(limiter)
  lease.end()
}

/** Time passes, and another client is made, which looks for idle limiters. */
async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
  limiterOfProcess('another', baseUrl)
}

/** The same, and memory is cleaned. */
async function passAndCollect(ms: number): Promise<void> {
  await pass(ms)
  // What a WeakRef has given out lives until the current work ends, and one collection may come too early.
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
  }
}

describe('limiterOfProcess()', () => {
  it('returns one limiter for each owner and base URL', () => {
    const provider = { token: () => 'a' }
    for (const owner of ['a', provider]) {
      expect(limiterOfProcess(owner, baseUrl)).toBe(limiterOfProcess(owner, baseUrl))
      expect(limiterOfProcess(owner, baseUrl)).not.toBe(limiterOfProcess(owner, 'https://other.example/v1'))
    }
    expect(limiterOfProcess('a', baseUrl)).not.toBe(limiterOfProcess('b', baseUrl))
  })

  it('forgets a limiter without clients and counted sends', async () => {
    let limiter: WeakRef<LocalLimiter> | undefined
    await use('forgotten', (used) => (limiter = new WeakRef(used)))
    await passAndCollect(2 * windowMs)
    expect(limiter?.deref()).toBeUndefined()
  })

  it('refuses other limits than those of earlier clients, also when their limiter is forgotten', async () => {
    let limiter: WeakRef<LocalLimiter> | undefined
    await use('renamed', (used) => (limiter = new WeakRef(used)))
    await passAndCollect(2 * windowMs)
    expect(limiter?.deref()).toBeUndefined()
    expect(() => limiterOfProcess('renamed', baseUrl, { perMinute: 30 })).toThrow(
      'limits.perMinute is 20 in another client of this organization, got 30',
    )
  })

  it('keeps a limiter while a client uses it', async () => {
    const limiter = limiterOfProcess('kept', baseUrl)
    for (let windows = 0; windows < 2; windows++) await pass(2 * windowMs)
    await passAndCollect(2 * windowMs)
    expect(limiterOfProcess('kept', baseUrl)).toBe(limiter)
  })

  it('keeps a limiter without a client while its sends count', async () => {
    await pass(windowMs)
    await use('busy', async (limiter) => {
      for (let sends = 1; sends < 20; sends++) (await ask(limiter)).end()
    })
    await passAndCollect(windowMs)
    const { ms } = await settle(ask(limiterOfProcess('busy', baseUrl)))
    expect(ms).toBeGreaterThan(0)
  })

  it('keeps a limiter whose last client sent shortly before it was dropped', async () => {
    const limiters = [limiterOfProcess('pausing', baseUrl)]
    await pass(2 * windowMs)
    await pass(2 * windowMs)
    for (let sends = 0; sends < 20; sends++) (await ask(limiters[0]!)).end()
    limiters.length = 0
    await passAndCollect(windowMs)
    const { ms } = await settle(ask(limiterOfProcess('pausing', baseUrl)))
    expect(ms).toBeGreaterThan(0)
  })

  it('keeps a limiter without a client when a 429 ends a request that took longer than a window', async () => {
    await use('slow', async (limiter) => {
      const lease = await ask(limiter)
      await pass(2 * windowMs)
      lease.end({ refusedForMs: 10 * windowMs })
    })
    await passAndCollect(2 * windowMs)
    const { error } = await settle(ask(limiterOfProcess('slow', baseUrl), windowMs))
    expect(error).toBeInstanceOf(SurfaceClosed)
  })

  it('keeps a limiter without a client while a 429 closes its surface', async () => {
    await use('closed', (limiter) => refuse(limiter, 'a', 10 * windowMs))
    await passAndCollect(8 * windowMs)
    const { error } = await settle(ask(limiterOfProcess('closed', baseUrl), windowMs))
    expect(error).toBeInstanceOf(SurfaceClosed)
  })
})
