import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { type RedisClient, redisStore, SharedLimiter } from '../../src/extensions/shared/index.ts'
import { listen, storeContract } from '../shared/store-contract.ts'
import { realTime } from '../support/real-time.ts'
import { openStore, packages } from './clients.ts'
import { admin, redisServer, server } from './workers.ts'
import { queueRequest } from '../support/limiter.ts'

const cuts: (() => void)[] = []
afterAll(() => {
  for (const cut of cuts) cut()
})

const openAt = {
  ioredis(port: number) {
    const client = new Redis({ port, socketTimeout: 1000 })
    cuts.push(() => client.disconnect())
    return redisStore(client.on('error', () => {}))
  },
  async redis(port: number) {
    const socket = { port, host: '127.0.0.1', socketTimeout: 1000, reconnectStrategy: 100 }
    const client = createClient({ socket, pingInterval: 300 }).on('error', () => {})
    cuts.push(() => client.destroy())
    return redisStore(await client.connect())
  },
}

for (const name of packages) {
  const open = async () => {
    const { store, cut } = await openStore(name, server.url)
    cuts.push(cut)
    return store
  }
  storeContract(`redisStore on ${name}`, open, { server: () => ({ ...redisServer(), openAt: openAt[name] }) })
}

it('redisStore() refuses another client', () => {
  const message = 'client must be a client of the npm package redis, ioredis or iovalkey'
  expect(() => redisStore({} as RedisClient)).toThrow(message)
})

describe('redisStore()', () => {
  const clients: { destroy?(): void; disconnect(): unknown }[] = []
  afterEach(() => {
    for (const client of clients.splice(0)) (client.destroy ?? client.disconnect).call(client)
  })

  /** One process hears of another one, and waits for its slot; returns what they log. */
  async function passOn(clientOf: () => Promise<RedisClient> | RedisClient): Promise<string[]> {
    const log: string[] = []
    const organization = `rights ${Math.random()}`
    const logger = { warn: (message: string) => void log.push(message) }
    const stores = [redisStore(await clientOf()), redisStore(await clientOf())] as const
    const { end } = await listen(...stores, organization)
    end()
    const limiters = stores.map(
      (store) => new SharedLimiter({ store, organization, logger, limits: { inFlight: 1 } }),
    )
    const request = queueRequest()
    const lease = await limiters[0]!.acquire(request)
    const waiting = limiters[1]!.acquire(request)
    await realTime.pass(200)
    lease.end()
    ;(await waiting).end()
    await Promise.all(limiters.map((limiter) => limiter.close()))
    return log
  }

  it.each(packages)('hears messages through a client of %s with a keyPrefix', async (name) => {
    const clientOf = async () => {
      const client =
        name === 'ioredis'
          ? new Redis(server.url, { keyPrefix: 'app:' })
          : await createClient({ url: server.url, keyPrefix: 'app:' }).connect()
      clients.push(client)
      return client
    }
    expect(await passOn(clientOf)).toEqual([])
  })

  it('needs no more rights than docs/fleet.md says', async () => {
    const commands = '+eval +evalsha +hmget +hset +hdel +pexpire +time +publish +subscribe'
    const rights = `on nopass ~social-search:* &social-search:* ${commands}`.split(' ')
    await admin.acl('SETUSER', 'limited', 'reset', ...rights)
    const clientOf = () => {
      const client = new Redis(server.url, { username: 'limited', password: 'any', enableReadyCheck: false })
      clients.push(client.on('error', () => {}))
      return client
    }
    expect(await passOn(clientOf)).toEqual([])
  })
})
