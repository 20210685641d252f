import { Redis } from 'ioredis'
import { attackSuite } from '../shared/attacks.ts'
import { packages } from './clients.ts'
import { startRedis } from './server.ts'

attackSuite('Redis', async () => {
  const server = await startRedis()
  const command = async (run: (admin: Redis) => Promise<unknown>): Promise<void> => {
    const admin = new Redis(server.url)
    await run(admin)
    admin.disconnect()
  }
  return {
    ...server,
    names: packages,
    lose: () => command((admin) => admin.flushall()),
    cut: () =>
      command(async (admin) => {
        await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
        await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
      }),
    remove: () => server.kill(),
  }
})
