import { Cluster, Redis } from 'ioredis'
import { type RedisClientType, createClient, createClientPool, createCluster } from 'redis'
import { describe, expectTypeOf, it } from 'vitest'
import type { Budget, Limiter } from '../../src/index.ts'
import type { RedisBudget, RedisClient, RedisLimiter } from '../../src/redis/index.ts'

describe('RedisClient', () => {
  it('accepts clients of both packages', () => {
    expectTypeOf(createClient()).toExtend<RedisClient>()
    expectTypeOf(createCluster({ rootNodes: [] })).toExtend<RedisClient>()
    expectTypeOf<RedisClientType>().toExtend<RedisClient>()
    expectTypeOf(new Redis()).toExtend<RedisClient>()
    expectTypeOf(new Cluster([])).toExtend<RedisClient>()
  })

  it('refuses a client that cannot subscribe', () => {
    expectTypeOf(createClientPool()).not.toExtend<RedisClient>()
  })
})

describe('RedisLimiter and RedisBudget', () => {
  it('can be passed as limiter and budget', () => {
    expectTypeOf<RedisLimiter>().toExtend<Limiter>()
    expectTypeOf<RedisBudget>().toExtend<Budget>()
  })
})
