import { SharedLimiter, type SharedStore } from '../../src/extensions/shared/index.ts'
import { limiterContract, takePart } from '../limits/contract.ts'
import { type Time, realTime } from '../support/real-time.ts'

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
      const organization = `contract ${crypto.randomUUID()}`
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
