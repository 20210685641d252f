import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RedisClient, redisStore } from '../../src/redis/index.ts'
import { storeContract } from '../shared/store-contract.ts'
import { openStore, packages } from './clients.ts'
import { type RedisServer, startRedis } from './server.ts'
import { admin, network } from './workers.ts'

let server: RedisServer
const cuts: (() => void)[] = []
beforeAll(async () => void (server = await startRedis()))
afterAll(async () => {
  for (const cut of cuts) cut()
  await server.kill()
})

for (const name of packages)
  storeContract(`redisStore on ${name}`, async () => {
    const { store, cut } = await openStore(name, server.url)
    cuts.push(cut)
    return store
  })

it('redisStore() does not store a text that arrives after another one', async () => {
  const { commands, wrap } = network()
  const [late, other] = [redisStore(wrap(admin)), redisStore(admin)]
  let deliver = (): void => {}
  commands.meet = async (send, args) => {
    if (args.length > 3) await new Promise<void>((resolve) => (deliver = resolve))
    return send()
  }
  const seen: (string | undefined)[] = []
  const writing = late.update('late', (value) => {
    seen.push(value)
    return { value: `${value ?? 'nothing'} and late`, result: undefined }
  })
  await expect.poll(() => seen).toHaveLength(1)
  await other.update('late', () => ({ value: 'other', result: undefined }))
  commands.meet = (send) => send()
  deliver()
  await writing
  expect(seen).toEqual([undefined, 'other'])
  expect(await other.update('late', (value) => ({ result: value }))).toBe('other and late')
})

it('redisStore() refuses another client', () => {
  expect(() => redisStore({} as RedisClient)).toThrow(
    'client must be a client of the npm package redis, ioredis or iovalkey',
  )
})
