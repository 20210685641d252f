import Valkey from 'iovalkey'
import { afterAll, beforeAll, it } from 'vitest'
import { redisStore } from '../../src/extensions/shared/index.ts'
import { type RedisServer, startRedis } from '../redis/server.ts'
import { meetForeignMessages } from '../shared/foreign-messages.ts'
import { storeContract } from '../shared/store-contract.ts'

let server: RedisServer
const clients: Valkey[] = []
beforeAll(async () => void (server = await startRedis()))
afterAll(async () => {
  for (const client of clients) client.disconnect()
  await server.kill()
})

function open() {
  const client = new Valkey(server.url)
  clients.push(client)
  return redisStore(client)
}

storeContract('redisStore on iovalkey', open, { isRemote: true })

it('SharedLimiter on iovalkey ignores messages of other programs', async () => {
  const stores = [open(), open()] as const
  await meetForeignMessages(
    stores,
    (key, text) => clients[0]!.publish(`social-search:${key}`, text),
    5_000_000,
  )
})
