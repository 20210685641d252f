export type { IoRedisClient, NodeRedisClient, RedisClient } from './client.ts'
export { redisStore, type RedisStoreOptions } from './store.ts'
