import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { RateLimitError } from '../../src/errors/index.ts'
import type { CallLimiter } from '../../src/limits/interface.ts'
import { limiterOfProcess } from '../../src/limits/process-limiter.ts'
import { settle, useVirtualTime } from '../support/clock.ts'
import { queueRequest } from '../support/limiter.ts'

beforeAll(useVirtualTime)
afterAll(() => vi.useRealTimers())

const baseUrl = 'https://api.example/v1'
const windowMs = 60_000

const ask = (limiter: CallLimiter, maxClosedWaitMs = Infinity) =>
  limiter.acquire(queueRequest({ maxClosedWaitMs }))

const send = async (limiter: CallLimiter, count: number): Promise<void> => {
  for (let sends = 0; sends < count; sends++) (await ask(limiter)).end()
}

/** Time passes, and another client is made, which lets idle limiters forget what they have counted. */
async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
  limiterOfProcess('another', baseUrl)
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

  it('refuses other limits than those of earlier clients', async () => {
    await send(limiterOfProcess('renamed', baseUrl), 1)
    await pass(3 * windowMs)
    expect(() => limiterOfProcess('renamed', baseUrl, { perMinute: 30 })).toThrow(
      'limits.perMinute is 20 in another client of this organization, got 30',
    )
    expect(() => limiterOfProcess('first', baseUrl, { inFlight: 1 })).not.toThrow()
    expect(limiterOfProcess('first', baseUrl).limits).toEqual({ inFlight: 1, perMinute: 20, windowMs })
  })

  it('counts what was sent within the window, also after another client has let idle limiters forget', async () => {
    await pass(2 * windowMs)
    await send(limiterOfProcess('busy', baseUrl), 20)
    await pass(windowMs)
    expect((await settle(ask(limiterOfProcess('busy', baseUrl)))).ms).toBeGreaterThan(0)
  })

  it('counts the calls that wait and the requests in flight when another client is made', async () => {
    await pass(2 * windowMs)
    const limiter = limiterOfProcess('waiting', baseUrl)
    await vi.advanceTimersByTimeAsync(2 * windowMs)
    const permits = [ask(limiter), ask(limiter)]
    limiterOfProcess('another', baseUrl)
    const third = ask(limiter)
    await pass(2 * windowMs)
    expect(limiter.waitOf('a')?.reason).toBe('slot')
    for (const permit of permits) (await permit).end()
    expect((await settle(third)).value).toBeDefined()
  })

  it('keeps a surface closed when a 429 ends a request that took longer than a window', async () => {
    const permit = await ask(limiterOfProcess('slow', baseUrl))
    await pass(2 * windowMs)
    permit.end({ refusedForMs: 10 * windowMs })
    await pass(2 * windowMs)
    await expect(ask(limiterOfProcess('slow', baseUrl), windowMs)).rejects.toBeInstanceOf(RateLimitError)
  })
})
