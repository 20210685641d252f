import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Lease } from '../../src/limits/interface.ts'
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
  const share = { inFlight: 1, perMinute: Infinity }
  const ticket = { surface: 'a', share, priority: 0, isRetry: false, maxHoldWait: 60_000 }
  const ask = (limiter: AbortableLimiter, signal = new AbortController().signal, surface = 'a') =>
    limiter.acquire({ ...ticket, surface, signal })

  /** Runs a function like another worker request, without its timers. */
  function inOtherRequest(work: () => void): void {
    const { setTimeout } = globalThis
    vi.stubGlobal('setTimeout', () => 0)
    work()
    vi.stubGlobal('setTimeout', setTimeout)
  }

  it('acquire() gets the slot of a call whose worker request was cut off', async () => {
    const limiter = new AbortableLimiter()
    const granted: Lease[] = []
    inOtherRequest(() => void ask(limiter).then((lease) => granted.push(lease)))
    await pass(100)
    const { value, ms } = await settle(ask(limiter))
    expect(value).toBeDefined()
    expect(ms).toBeGreaterThan(1500)
    expect(ms).toBeLessThan(5000)
  })

  it('acquire() keeps to its slots when the previous call takes long', async () => {
    const limiter = new AbortableLimiter()
    const { value: first } = await settle(ask(limiter))
    let isGranted = false
    void ask(limiter).then(() => (isGranted = true))
    await pass(120_000)
    expect(isGranted).toBe(false)
    first?.release()
    await pass(50)
    expect(isGranted).toBe(true)
  })

  it('acquire() serves two surfaces in turn when both have calls waiting for a slot', async () => {
    const limiter = new AbortableLimiter({ inFlight: 1 })
    const { value: first } = await settle(ask(limiter, undefined, 'c'))
    const order: string[] = []
    const calls = ['a', 'a', 'a', 'b', 'b', 'b'].map((surface) =>
      ask(limiter, undefined, surface).then((lease) => {
        order.push(surface)
        setTimeout(() => lease.release(), 100)
      }),
    )
    first?.release()
    await settle(Promise.all(calls))
    expect(order).toEqual(['a', 'b', 'a', 'b', 'a', 'b'])
  })

  it('acquire() rejects at once when its call is cancelled, and keeps no slot', async () => {
    const limiter = new AbortableLimiter({ inFlight: 1 })
    const own = { ...ticket, share: { ...share } }
    const cancelled = limiter.acquire(own)
    // By then, it has a slot that it does not know of.
    await pass(10)
    const reason = new Error('enough')
    limiter.cancel(own, reason)
    await expect(cancelled).rejects.toBe(reason)
    expect((await settle(ask(limiter))).ms).toBeLessThan(50)
  })

  it('acquire() can be cancelled when the same call has waited before and its lease ends late', async () => {
    const limiter = new AbortableLimiter()
    const { value: first } = await settle(limiter.acquire(ticket))
    limiter.hold('a', 30_000)
    const again = limiter.acquire(ticket)
    first?.release()
    limiter.cancel(ticket, 'enough')
    await expect(again).rejects.toBe('enough')
  })

  it('acquire() keeps to its slots when the whole worker was paused', async () => {
    const limiter = new AbortableLimiter()
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
    first?.release()
    await pass(50)
    expect(isGranted).toBe(true)
  })

  it('cancel() does nothing when its call has its lease', async () => {
    const limiter = new AbortableLimiter({ inFlight: 1 })
    const own = { ...ticket, share: { ...share } }
    const { value: lease } = await settle(limiter.acquire(own))
    limiter.cancel(own, new Error('too late'))
    let isGranted = false
    void ask(limiter).then(() => (isGranted = true))
    await pass(1000)
    expect(isGranted).toBe(false)
    lease?.release()
    await pass(50)
    expect(isGranted).toBe(true)
  })
})
