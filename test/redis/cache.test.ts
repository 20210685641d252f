import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe } from 'vitest'
import { describeSharedStore } from '../processes/cache/shared.ts'
import { type RedisServer, startRedis } from './server.ts'

let server: RedisServer
beforeAll(async () => void (server = await startRedis()))
afterAll(() => server.kill())

describe('processes with a cache in one Redis', () => {
  describeSharedStore(async () => {
    const admin = new Redis(server.url)
    await admin.flushall()
    admin.disconnect()
    return server.url
  })
})
