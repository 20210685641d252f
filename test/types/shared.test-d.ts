import { Cluster, Redis } from 'ioredis'
import { Pool } from 'pg'
import { type RedisClientType, createClient, createClientPool, createCluster } from 'redis'
import { describe, expectTypeOf, it } from 'vitest'
import type { Budget } from '../../src/index.ts'
import type { PostgresPool, RedisClient, SharedBudget } from '../../src/extensions/shared/index.ts'

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

describe('PostgresPool', () => {
  it('accepts a pool of pg', () => {
    expectTypeOf(new Pool()).toExtend<PostgresPool>()
  })
})

describe('SharedLimiter and SharedBudget', () => {
  it('can be passed as limiter and budget', () => {
    expectTypeOf<SharedBudget>().toExtend<Budget>()
  })
})
