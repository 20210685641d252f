import { limiterContract } from '../limits/contract.ts'
import { SharedLimiter, type SharedStore, memoryStore } from '../../src/shared/index.ts'
import { realTime } from '../support/real-time.ts'

let made: SharedLimiter[] = []
const stores: readonly (readonly [string, () => SharedStore])[] = [
  ['a store with notices', memoryStore],
  ['a store without notices', () => ({ update: memoryStore().update })],
]
for (const [name, makeStore] of stores) {
  limiterContract(`SharedLimiter on ${name}`, {
    time: realTime,
    make: (count, limits) => {
      const store = makeStore()
      made = Array.from({ length: count }, () => new SharedLimiter({ store, organization: 'acme', limits }))
      return made
    },
    async end() {
      await Promise.all(made.map((limiter) => limiter.close()))
    },
  })
}
