import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { organizationLimits } from '../../src/api/limits.ts'
import { LocalLimiter } from '../../src/limits/local-limiter.ts'
import { AbortableLimiter } from './abortable-limiter.ts'
import { pass, settle, useVirtualTime } from '../support/clock.ts'
import { queueRequest, refuse } from '../support/limiter.ts'

beforeEach(() => {
  useVirtualTime()
  // What keeps processes apart by chance is left to the tests that are about it.
  vi.spyOn(Math, 'random').mockReturnValue(0)
})
afterEach(() => vi.useRealTimers())

const limited = (inFlight: number, perMinute: number) => new AbortableLimiter({ inFlight, perMinute })

/** Notes when it sends, and gives each slot back after a moment. */
function traffic(limiter: AbortableLimiter) {
  const sends: number[] = []
  const run = async (): Promise<void> => {
    const permit = await limiter.acquire({})
    sends.push(performance.now())
    setTimeout(() => permit.end(), 10)
  }
  return { sends, run: (count = 1) => void Array.from({ length: count }, run) }
}

describe('LocalLimiter.acquire()', () => {
  it('finds the place of a call in a few steps when thousands have a priority each', async () => {
    const limiter = new LocalLimiter({ ...organizationLimits, inFlight: 1 })
    let reads = 0
    await refuse(limiter, 'a', 30_000)
    const waiting = Array.from({ length: 2000 }, (_, index) => {
      const abort = new AbortController()
      const request = queueRequest({ signal: abort.signal })
      const get = () => (reads++, -index)
      limiter.acquire(Object.defineProperty(request, 'priority', { get })).catch(() => {})
      return abort
    })
    for (const abort of waiting) abort.abort()
    expect(reads / waiting.length).toBeLessThan(100)
  })

  it('never grants more than 20 in any 60 s when many calls queue', async () => {
    const { run, sends } = traffic(limited(2, 20))
    run(70)
    await pass(250_000)
    expect(sends).toHaveLength(70)
    for (const [i, later] of sends.slice(20).entries()) expect(later - sends[i]!).toBeGreaterThan(60_000)
    expect(sends[69]! - sends[0]!).toBeLessThan(3 * 61_100 + 1000)
  })

  it('keeps a margin of a second between a request and its response', async () => {
    const limiter = limited(2, 2)
    // Whole seconds of a server whose clock differs, and answers that take longer than any margin.
    for (let i = 0; i < 40; i++) {
      const permit = await limiter.acquire({ surface: null })
      await pass(((i * 377) % 1000) + 800 * (i % 2))
      permit.answered()
      permit.end()
    }
    const first = await limiter.acquire({})
    await limiter.acquire({})
    await pass(5000)
    first.answered()
    first.end()
    const { ms } = await settle(limiter.acquire({}))
    expect(ms - (60_020 - 5000)).toBe(1000)
  })

  it('uses the capacity that other processes leave after a 429, and all of it when they stop', async () => {
    const limiter = limited(2, 20)
    const { run, sends } = traffic(limiter)
    run(10)
    await pass(1000)
    // Others have sent the other ten: the tenth was refused.
    await refuse(limiter, 'a', 50_000)
    run(60)
    await pass(50_000 + 10_000)
    const later = sends.slice(10)
    expect(later.length).toBeGreaterThan(1)
    // Bursts of several processes would meet, so there is a gap between two.
    expect(later.length).toBeLessThan(6)
    expect(later[1]! - later[0]!).toBeGreaterThan(2000)
    await pass(120_000)
    const last = performance.now()
    expect(sends.filter((at) => at > last - 60_000).length).toBe(20)
  })
})
