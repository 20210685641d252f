export type { IoRedisClient, NodeRedisClient, RedisClient } from './client.ts'
export { RedisLimiter, type RedisLimiterOptions } from './limiter.ts'
