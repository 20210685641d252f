import { afterAll, beforeAll } from 'vitest'
import { redisStore } from '../../src/redis/index.ts'
import { SharedLimiter } from '../../src/shared/index.ts'
import { limiterContract, takePart } from '../limits/contract.ts'
import { realTime } from '../support/real-time.ts'
import { type Connection, connect, packages } from './clients.ts'
import { type RedisServer, startRedis } from './server.ts'

let server: RedisServer
beforeAll(async () => void (server = await startRedis()))
afterAll(() => server.kill())

for (const name of packages) {
  let made: { limiter: SharedLimiter; connection: Connection }[] = []
  let organizations = 0
  limiterContract(`SharedLimiter on ${name}`, {
    time: realTime,
    async make(count, limits) {
      const organization = `${name} ${++organizations}`
      const connections = await Promise.all(Array.from({ length: count }, () => connect(name, server.url)))
      made = connections.map((connection) => {
        const { client } = connection
        const limiter = new SharedLimiter({ store: redisStore(client), organization, limits })
        return { limiter, connection }
      })
      const limiters = made.map(({ limiter }) => limiter)
      await takePart(limiters, limits)
      return limiters
    },
    async end() {
      await Promise.all(made.map(({ limiter }) => limiter.close()))
      for (const { connection } of made) connection.cut()
    },
  })
}
