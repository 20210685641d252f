import { redisStore } from '../../src/extensions/shared/index.ts'
import { sharedLimiterContract } from '../shared/limiter-contract.ts'
import { packages } from './clients.ts'
import { newConnection } from './workers.ts'

for (const name of packages)
  sharedLimiterContract(`SharedLimiter on ${name}`, async () =>
    redisStore((await newConnection(name)).client),
  )
