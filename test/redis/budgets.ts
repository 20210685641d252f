import { type Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { type RedisClient, redisStore } from '../../src/redis/index.ts'
import { SharedBudget } from '../../src/shared/index.ts'
import { type Connection, type Package, connect } from './clients.ts'
import { type RedisServer, startRedis } from './server.ts'

export let server: RedisServer
let budgets = 0
const connections: Connection[] = []

beforeAll(async () => void (server = await startRedis()))
afterEach(() => {
  for (const connection of connections.splice(0)) connection.cut()
})
afterAll(() => server.kill())

export const newName = () => `budget ${++budgets}`

/** A budget in the Redis of the file, on its own connection. */
export async function open(name: string, limit: number, options: { client?: Package; lease?: number } = {}) {
  const { client = 'redis', lease } = options
  const connection = await connect(client, server.url)
  connections.push(connection)
  const budget = new SharedBudget({
    ...{ store: redisStore(connection.client), name, limit, lease, storeTimeout: 500 },
  })
  return { budget, connection }
}

/** A client on a network that fails as told: before a command arrives, or after it was run. */
export async function unreliable() {
  const connection = await connect('ioredis', server.url)
  connections.push(connection)
  const network = { fails: 'never' as 'never' | 'before' | 'after' }
  const real = connection.client as Redis
  const through =
    (send: (...args: never[]) => Promise<unknown>) =>
    async (...args: never[]) => {
      if (network.fails === 'before') throw new Error('the network failed')
      const reply = await send.apply(real, args)
      if ((network.fails as string) === 'after') throw new Error('the network failed')
      return reply
    }
  const client = {
    evalsha: through(real.evalsha),
    eval: through(real.eval),
    duplicate: () => real,
  }
  return { client: client as unknown as RedisClient, network }
}
