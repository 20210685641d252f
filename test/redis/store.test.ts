import { afterAll, expect, it } from 'vitest'
import { type RedisClient, redisStore } from '../../src/extensions/shared/index.ts'
import { meetForeignNotices } from '../shared/foreign-notices.ts'
import { storeContract } from '../shared/store-contract.ts'
import { openStore, packages } from './clients.ts'
import { admin, network, server } from './workers.ts'

const cuts: (() => void)[] = []
afterAll(() => {
  for (const cut of cuts) cut()
})

for (const name of packages)
  storeContract(`redisStore on ${name}`, async () => {
    const { store, cut } = await openStore(name, server.url)
    cuts.push(cut)
    return store
  })

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

it.each(packages)('SharedLimiter on %s ignores notices of other programs', async (name) => {
  const [first, second] = [await openStore(name, server.url), await openStore(name, server.url)]
  const send = (key: string, text: string) => admin.publish(`social-search:${key}`, text)
  await meetForeignNotices([first.store, second.store], send, 5_000_000)
  first.cut()
  second.cut()
})

it('redisStore() refuses another client', () => {
  expect(() => redisStore({} as RedisClient)).toThrow(
    'client must be a client of the npm package redis, ioredis or iovalkey',
  )
})
