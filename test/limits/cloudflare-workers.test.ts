import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { AbortableLimiter } from './abortable-limiter.ts'
import { pass, settle, useVirtualTime } from '../support/clock.ts'
import { limiterContract } from './contract.ts'
import { use } from './contract-world.ts'

beforeAll(() => {
  useVirtualTime()
  vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
})
afterAll(() => {
  // In this order: a stub of `setTimeout` has replaced the virtual one.
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

limiterContract('LocalLimiter in a worker whose requests cannot wake each other', {
  time: { pass, settle },
  make: (count, limits) => Array<AbortableLimiter>(count).fill(new AbortableLimiter(limits)),
  end: () => {},
})

describe('LocalLimiter in a worker whose requests cannot wake each other', () => {
  const limits = { inFlight: 1, perMinute: Infinity }

  /** A call of another worker request, whose timers never fire. */
  function acquireCutOff(limiter: AbortableLimiter): void {
    const { setTimeout } = globalThis
    vi.stubGlobal('setTimeout', () => 0)
    void limiter.acquire({})
    vi.stubGlobal('setTimeout', setTimeout)
  }

  it('acquire() gets the slot of a call whose worker request was cut off', async () => {
    const limiter = new AbortableLimiter(limits)
    acquireCutOff(limiter)
    await pass(100)
    const { value, ms } = await settle(limiter.acquire({}))
    expect(value).toBeDefined()
    expect(ms).toBeGreaterThan(1500)
    expect(ms).toBeLessThan(5000)
  })

  it('acquire() goes before a queued call whose worker request was cut off', async () => {
    const limiter = new AbortableLimiter(limits)
    const { value: first } = await settle(limiter.acquire({}))
    acquireCutOff(limiter)
    let isGranted = false
    void limiter.acquire({}).then(() => (isGranted = true))
    await pass(5000)
    first?.end()
    await pass(50)
    expect(isGranted).toBe(true)
  })

  it.each([
    ['the previous call takes long', () => pass(120_000)],
    [
      'the whole worker was paused',
      async () => {
        await pass(100)
        // Nothing runs for ten seconds; then the call that waits is the first to poll.
        vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 10_000)
        await vi.advanceTimersByTimeAsync(20)
        vi.restoreAllMocks()
        await pass(1000)
      },
    ],
  ])('acquire() keeps to its slots when %s', async (_, wait) => {
    const limiter = new AbortableLimiter(limits)
    const { value: first } = await settle(limiter.acquire({}))
    let isGranted = false
    void limiter.acquire({}).then(() => (isGranted = true))
    await wait()
    expect(isGranted).toBe(false)
    first?.end()
    await pass(50)
    expect(isGranted).toBe(true)
  })

  it('acquire() serves two surfaces in turn when both have calls waiting for a slot', async () => {
    const limiter = new AbortableLimiter({ inFlight: 1 })
    const { value: first } = await settle(limiter.acquire({ surface: 'c' }))
    const order: string[] = []
    const calls = ['a', 'a', 'a', 'b', 'b', 'b'].map((surface) =>
      use(limiter.acquire({ surface }), 100, () => order.push(surface)),
    )
    first?.end()
    await settle(Promise.all(calls))
    expect(order).toEqual(['a', 'b', 'a', 'b', 'a', 'b'])
  })
})
