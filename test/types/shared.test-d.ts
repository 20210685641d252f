import { Cluster, Redis } from 'ioredis'
import { Pool } from 'pg'
import { type RedisClientType, createClient, createClientPool, createCluster } from 'redis'
import { expectTypeOf, it } from 'vitest'
import type { Budget } from '../../src/index.ts'
import type { PostgresPool, RedisClient, SharedBudget } from '../../src/extensions/shared/index.ts'

it('RedisClient accepts clients of both packages, and none that cannot subscribe', () => {
  expectTypeOf(createClient()).toExtend<RedisClient>()
  expectTypeOf(createCluster({ rootNodes: [] })).toExtend<RedisClient>()
  expectTypeOf<RedisClientType>().toExtend<RedisClient>()
  expectTypeOf(new Redis()).toExtend<RedisClient>()
  expectTypeOf(new Cluster([])).toExtend<RedisClient>()
  expectTypeOf(createClientPool()).not.toExtend<RedisClient>()
})

it('PostgresPool accepts a pool of pg', () => expectTypeOf(new Pool()).toExtend<PostgresPool>())

it('SharedBudget can be passed as budget', () => expectTypeOf<SharedBudget>().toExtend<Budget>())
