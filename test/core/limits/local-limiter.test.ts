import { afterAll, beforeAll, vi } from 'vitest'
import { LocalLimiter } from '../../../src/core/limits/local-limiter.ts'
import { pass, settle, useVirtualTime } from '../../support/clock.ts'
import { limiterContract } from './contract.ts'

beforeAll(useVirtualTime)
afterAll(() => vi.useRealTimers())

limiterContract('LocalLimiter', {
  time: { pass, settle },
  // One serves all the clients of a process.
  make: (count, limits) => Array<LocalLimiter>(count).fill(new LocalLimiter(limits)),
  end: () => {},
})
