import Valkey from 'iovalkey'
import { afterAll } from 'vitest'
import { redisStore } from '../../src/extensions/shared/index.ts'
import { redisServer, server } from '../redis/workers.ts'
import { storeContract } from '../shared/store-contract.ts'

const clients: Valkey[] = []
afterAll(() => {
  for (const client of clients) client.disconnect()
})

function openAt(port: number, options = {}) {
  const client = new Valkey({ port, ...options })
  clients.push(client.on('error', () => {}))
  return redisStore(client)
}

storeContract('redisStore on iovalkey', () => openAt(server.port), {
  server: () => ({ ...redisServer(), openAt: (port) => openAt(port, { socketTimeout: 1000 }) }),
})
