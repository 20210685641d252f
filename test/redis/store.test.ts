import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { type RedisClient, redisStore, SharedLimiter } from '../../src/extensions/shared/index.ts'
import { farMs, winsFromAfar } from '../shared/far-writer.ts'
import { meetForeignMessages } from '../shared/foreign-messages.ts'
import { listen } from '../shared/store-promises.ts'
import { outlastsSilence } from '../shared/half-open.ts'
import { storeContract } from '../shared/store-contract.ts'
import { realTime } from '../support/real-time.ts'
import { openStore, packages } from './clients.ts'
import { admin, network, server } from './workers.ts'
import { queueRequest } from '../support/limiter.ts'

const cuts: (() => void)[] = []
afterAll(() => {
  for (const cut of cuts) cut()
})

for (const name of packages)
  storeContract(
    `redisStore on ${name}`,
    async () => {
      const { store, cut } = await openStore(name, server.url)
      cuts.push(cut)
      return store
    },
    { isRemote: true },
  )

/** What happens to a text while a write of another process is on its way. */
const meanwhile: [string, string, (name: string) => unknown][] = [
  [
    'changed',
    'other and late',
    () => redisStore(admin).update('late', () => ({ value: 'other', result: 0 })),
  ],
  ['lost', 'nothing and late', (name) => admin.del(name)],
  ['set back', 'first and late', (name) => admin.restore(name, 0, backup, 'REPLACE')],
]
let backup: Buffer

it.each(meanwhile)(
  'redisStore() does not store a late text when the text was %s',
  async (_, expected, happen) => {
    const { commands, wrap } = network()
    const store = redisStore(admin)
    const name = 'social-search:late'
    await store.update('late', () => ({ value: 'first', result: 0 }))
    backup = (await admin.dumpBuffer(name))!
    await store.update('late', () => ({ value: 'second', result: 0 }))
    commands.meet = async (send, args) => {
      if (args.length > 4) {
        commands.meet = (send) => send()
        await happen(name)
      }
      return send()
    }
    const late = (value = 'nothing') => ({ value: `${value} and late`, result: value })
    await redisStore(wrap(admin)).update('late', late)
    expect(await store.update('late', (value) => ({ result: value }))).toBe(expected)
  },
)

it('redisStore() lets a process that is far away change a text that a near one changes all the time', async () => {
  const { commands, wrap } = network()
  commands.meet = async (send) => {
    await realTime.pass(farMs)
    return send()
  }
  await winsFromAfar(redisStore(admin), redisStore(wrap(admin)))
})

it.each(packages)('redisStore() on %s leaves no connection open when a watch ends at once', async (name) => {
  const { store, cut } = await openStore(name, server.url)
  const clients = async () => (await admin.call('CLIENT', 'LIST', 'TYPE', 'pubsub')) as string
  await expect.poll(clients).toBe('')
  store.watch!('left', () => {})()
  const end = store.watch!('left', () => {})
  await expect.poll(clients).not.toBe('')
  end()
  await expect.poll(clients).toBe('')
  cut()
})

it.each(packages)('SharedLimiter on %s ignores messages of other programs', async (name) => {
  const [first, second] = [await openStore(name, server.url), await openStore(name, server.url)]
  const send = (key: string, text: string) => admin.publish(`social-search:${key}`, text)
  await meetForeignMessages([first.store, second.store], send, 5_000_000)
  first.cut()
  second.cut()
})

it('redisStore() refuses another client', () => {
  expect(() => redisStore({} as RedisClient)).toThrow(
    'client must be a client of the npm package redis, ioredis or iovalkey',
  )
})

describe('redisStore()', () => {
  /** A client of a user with some rights, which its limiter must cope with. */
  async function limited(channels: string) {
    const name = `user${users++}`
    const commands = '+eval +evalsha +hmget +hset +hdel +pexpire +time +publish +subscribe'
    const rights = `on nopass ~social-search:* ${channels} ${commands}`.split(' ')
    await admin.acl('SETUSER', name, 'reset', ...rights)
    const client = new Redis(server.url, { username: name, password: 'any', enableReadyCheck: false })
    clients.push(client)
    client.on('error', () => {})
    return client
  }
  let users = 0
  const clients: Redis[] = []
  const nodeClients: { destroy(): void }[] = []
  afterEach(() => {
    clients.splice(0).forEach((client) => client.disconnect())
    nodeClients.splice(0).forEach((client) => client.destroy())
  })

  /** One process hears of another one, and waits for its slot; returns what they log. */
  async function passOn(clientOf: () => Promise<Redis> | Redis): Promise<string[]> {
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
      if (name === 'ioredis') {
        const client = new Redis(server.url, { keyPrefix: 'app:' })
        clients.push(client)
        return client
      }
      const client = await createClient({ url: server.url, keyPrefix: 'app:' }).connect()
      nodeClients.push(client)
      return client as unknown as Redis
    }
    expect(await passOn(clientOf)).toEqual([])
  })

  it.each(packages)('goes on when a connection falls silent, as docs/fleet.md sets %s up', async (name) => {
    const openIoRedis = (port: number) => {
      const client = new Redis({ port, socketTimeout: 1000 })
      clients.push(client.on('error', () => {}))
      return redisStore(client)
    }
    const openRedis = async (port: number) => {
      const socket = { port, host: '127.0.0.1', socketTimeout: 1000, reconnectStrategy: 100 }
      const client = createClient({ socket, pingInterval: 300 }).on('error', () => {})
      nodeClients.push(client)
      return redisStore(await client.connect())
    }
    await outlastsSilence(server.port, name === 'redis' ? openRedis : openIoRedis)
  })

  it('needs no more rights than docs/fleet.md says', async () => {
    expect(await passOn(() => limited('&social-search:*'))).toEqual([])
  })
})
