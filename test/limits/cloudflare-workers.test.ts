import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Permit } from '../../src/limits/interface.ts'
import { AbortableLimiter } from './abortable-limiter.ts'
import { pass, settle, useVirtualTime } from '../support/clock.ts'
import { limiterContract } from './contract.ts'

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
  const ask = (limiter: AbortableLimiter, signal = new AbortController().signal, surface = 'a') =>
    limiter.acquire({ surface, signal })

  /** Runs a function like another worker request, without its timers. */
  function inOtherRequest(work: () => void): void {
    const { setTimeout } = globalThis
    vi.stubGlobal('setTimeout', () => 0)
    work()
    vi.stubGlobal('setTimeout', setTimeout)
  }

  it('acquire() gets the slot of a call whose worker request was cut off', async () => {
    const limiter = new AbortableLimiter({ inFlight: 1, perMinute: Infinity })
    const granted: Permit[] = []
    inOtherRequest(() => void ask(limiter).then((permit) => granted.push(permit)))
    await pass(100)
    const { value, ms } = await settle(ask(limiter))
    expect(value).toBeDefined()
    expect(ms).toBeGreaterThan(1500)
    expect(ms).toBeLessThan(5000)
  })

  it('acquire() keeps to its slots when the previous call takes long', async () => {
    const limiter = new AbortableLimiter({ inFlight: 1, perMinute: Infinity })
    const { value: first } = await settle(ask(limiter))
    let isGranted = false
    void ask(limiter).then(() => (isGranted = true))
    await pass(120_000)
    expect(isGranted).toBe(false)
    first?.end()
    await pass(50)
    expect(isGranted).toBe(true)
  })

  it('acquire() serves two surfaces in turn when both have calls waiting for a slot', async () => {
    const limiter = new AbortableLimiter({ inFlight: 1 })
    const { value: first } = await settle(ask(limiter, undefined, 'c'))
    const order: string[] = []
    const calls = ['a', 'a', 'a', 'b', 'b', 'b'].map((surface) =>
      ask(limiter, undefined, surface).then((permit) => {
        order.push(surface)
        setTimeout(() => permit.end(), 100)
      }),
    )
    first?.end()
    await settle(Promise.all(calls))
    expect(order).toEqual(['a', 'b', 'a', 'b', 'a', 'b'])
  })

  it('acquire() keeps to its slots when the whole worker was paused', async () => {
    const limiter = new AbortableLimiter({ inFlight: 1, perMinute: Infinity })
    const { value: first } = await settle(ask(limiter))
    let isGranted = false
    void ask(limiter).then(() => (isGranted = true))
    await pass(100)
    // Nothing runs for ten seconds; then the call that waits is the first to poll.
    const now = performance.now() + 10_000
    vi.spyOn(performance, 'now').mockReturnValue(now)
    await vi.advanceTimersByTimeAsync(20)
    vi.restoreAllMocks()
    await pass(1000)
    expect(isGranted).toBe(false)
    first?.end()
    await pass(50)
    expect(isGranted).toBe(true)
  })
})
