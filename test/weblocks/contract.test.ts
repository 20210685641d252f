import { WebLocksLimiter } from '../../src/weblocks/index.ts'
import { realTime } from '../support/real-time.ts'
import { limiterContract } from '../limits/contract.ts'

let organizations = 0
let made: WebLocksLimiter[] = []

limiterContract('WebLocksLimiter', {
  time: realTime,
  make: (count, limits) => {
    const organization = `contract ${++organizations}`
    made = Array.from({ length: count }, () => new WebLocksLimiter({ organization, limits }))
    return made
  },
  // Closing waits for the leases that a test has left open.
  end: () => made.forEach((limiter) => void limiter.close()),
})
