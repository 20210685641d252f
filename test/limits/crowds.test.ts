import { expect, it } from 'vitest'
import { LocalLimiter } from '../../src/limits/local-limiter.ts'

it.each([1, 2, 5])(
  'acquire() reads few priorities when 20,000 tickets with %i priorities and a deadline queue',
  async (priorities) => {
    const limiter = new LocalLimiter({ perMinute: 20 })
    const share = { inFlight: 2, perMinute: 20 }
    let reads = 0
    const tickets = Array.from({ length: 20_000 }, (_, index) => ({
      ...{ surface: 'a', share, isRetry: index % 7 === 0, maxHoldWait: 60_000, maxQueueWait: 86_400_000 },
      get priority() {
        reads++
        return index % priorities
      },
    }))
    const ends = tickets.map((ticket) => limiter.acquire(ticket).catch((error: unknown) => error))
    const whileJoining = reads
    for (const ticket of tickets) limiter.cancel(ticket, 'left')
    const left = (await Promise.all(ends)).filter((end) => end === 'left')
    expect(left.length).toBeGreaterThan(19_990)
    // A heap of 20,000 has 15 levels; placing an entry compares it with up to three others on each.
    expect(whileJoining / tickets.length).toBeLessThan(100)
    expect((reads - whileJoining) / tickets.length).toBeLessThan(150)
  },
)
