import type { Permit, Limits, QueueRequest } from '../../src/limits/interface.ts'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { redisStore, SharedLimiter, type SharedLimiterOptions } from '../../src/extensions/shared/index.ts'
import { type Connection, type Package, connect } from './clients.ts'
import { type RedisServer, startRedis } from './server.ts'
import { queueRequest } from '../support/limiter.ts'
import type { Meet, StoreServer } from '../shared/store-contract.ts'

const windowMs = 600

export let server: RedisServer
export let admin: Redis
let organizations = 0
const ends: (() => unknown)[] = []

beforeAll(async () => {
  server = await startRedis()
  admin = new Redis(server.url)
  admin.on('error', () => {})
})
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})
afterAll(async () => {
  admin.disconnect()
  await server.kill()
})

/** A connection to the Redis of the file, until the test ends. */
export async function newConnection(name: Package = 'ioredis'): Promise<Connection> {
  const connection = await connect(name, server.url)
  ends.push(() => connection.cut())
  return connection
}

type WorkerOptions = Partial<Omit<SharedLimiterOptions, 'store'>> & { client?: Package }

interface Worker {
  limiter: SharedLimiter
  connection: Connection
  log: string[]
  ask(request?: Partial<QueueRequest>): Promise<Permit>
}

/** A process of an organization, as far as Redis can tell. */
export async function worker(
  organization: string,
  { limits, client: name, ...options }: WorkerOptions = {},
  wrap = (client: Connection['client']) => client,
): Promise<Worker> {
  const connection = await newConnection(name)
  const log: string[] = []
  const note = (message: string) => void log.push(message)
  const all: Limits = { inFlight: 2, perMinute: 4, windowMs, ...limits }
  const own = { organization, limits: all, logger: { warn: note, info: note } }
  const limiter = new SharedLimiter({ store: redisStore(wrap(connection.client)), ...own, ...options })
  ends.push(() => limiter.close())
  const ask = (request?: Partial<QueueRequest>) => limiter.acquire(queueRequest(request))
  return { limiter, connection, log, ask }
}

export const newOrganization = () => `org_live_5f2b8c1d9e ${++organizations}`

/** A network that does with the commands of a limiter what the test wants. */
export function network() {
  const commands: { meet: (send: () => Promise<unknown>, args: readonly unknown[]) => Promise<unknown> } = {
    meet: (send) => send(),
  }
  const wrap = (client: Connection['client']): Connection['client'] => {
    const { evalsha, eval: evaluate, duplicate } = client as Redis
    const meet = (...args: Parameters<typeof evaluate>) =>
      commands.meet(() => evaluate.apply(client as Redis, args), args)
    return { evalsha, eval: meet, duplicate: duplicate.bind(client) }
  }
  return { commands, wrap }
}

const keyOf = (key: string) => `social-search:${key}`

/** The Redis of the file, as the contract of stores needs it, except for what a package does. */
export const redisServer = (): Omit<StoreServer, 'openAt'> => ({
  port: server.port,
  openThrough(meet: Meet) {
    const { commands, wrap } = network()
    // Those that replace a text have more arguments.
    commands.meet = (send, args) => meet(send, args.length > 5)
    return redisStore(wrap(admin))
  },
  forget: (key: string) => admin.del(keyOf(key)),
  async backUp(key: string) {
    const backup = await admin.dumpBuffer(keyOf(key))
    return () => admin.restore(keyOf(key), 0, backup, 'REPLACE')
  },
  send: (key: string, text: string) => admin.publish(keyOf(key), text),
  longest: 5_000_000,
  listening: async () => String(await admin.call('CLIENT', 'LIST', 'TYPE', 'pubsub')).split('\n').length - 1,
})

export async function evalCalls(): Promise<number> {
  const stats = await admin.info('commandstats')
  return [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].reduce((sum, [, n]) => sum + Number(n), 0)
}
