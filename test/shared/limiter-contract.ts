import { expect } from 'vitest'
import { SharedLimiter, type SharedStore } from '../../src/extensions/shared/index.ts'
import { limiterContract, takePart } from '../limits/contract.ts'
import { use } from '../limits/contract-world.ts'
import { type Time, realTime } from '../support/real-time.ts'
import { queueRequest } from '../support/limiter.ts'

/**
 * The promises of every limiter, for those that share a store.
 *
 * @param open Connects like another process.
 * @param end Called after each test.
 * @param time Real, unless the store runs on timers alone.
 */
export function sharedLimiterContract(
  name: string,
  open: () => SharedStore | Promise<SharedStore>,
  end = () => {},
  time: Time = realTime,
): void {
  let made: SharedLimiter[] = []
  limiterContract(name, {
    time,
    // An update on a busy machine.
    heardMs: 250,
    async make(count, limits) {
      const organization = `contract ${Math.random()}`
      const stores = await Promise.all(Array.from({ length: count }, async () => open()))
      made = stores.map((store) => new SharedLimiter({ store, organization, limits }))
      await time.settle(takePart(made))
      return made
    },
    async end() {
      await time.settle(Promise.all(made.map((limiter) => limiter.close())))
      end()
    },
  })
}

/** Makes calls through three processes, and checks that one at a time is in flight, and four are sent in a window. */
export async function expectLimitsKept(open: () => SharedStore | Promise<SharedStore>): Promise<void> {
  const limits = { inFlight: 1, perMinute: 4, windowMs: 600 }
  const stores = await Promise.all([open(), open(), open()])
  const limiters = stores.map((store) => new SharedLimiter({ store, organization: 'three', limits }))
  const request = queueRequest()
  const sends: number[] = []
  let inFlight = 0
  const calls = Array.from({ length: 9 }, (_, i) => {
    const granted = limiters[i % 3]!.acquire({ ...request })
    const onSend = () => {
      expect(++inFlight).toBe(1)
      sends.push(performance.now())
      setTimeout(() => inFlight--, 10)
    }
    return use(granted, 15, onSend)
  })
  await Promise.all(calls)
  sends.forEach((at, i) => expect((sends[i + 4] ?? Infinity) - at).toBeGreaterThanOrEqual(limits.windowMs))
  await Promise.all(limiters.map((limiter) => limiter.close()))
}
