export { RedisBudget, type RedisBudgetOptions } from './budget.ts'
export type { IoRedisClient, NodeRedisClient, RedisClient } from './client.ts'
export { RedisLimiter, type RedisLimiterOptions } from './limiter.ts'
export type { RedisOptions } from './options.ts'
