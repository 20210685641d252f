import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import KeyvRedis from '@keyv/redis'
import { Keyv } from 'keyv'
import { createStorage } from 'unstorage'
import fsDriver from 'unstorage/drivers/fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CacheStore, ResultCache } from '../../src/extensions/cache/index.ts'
import { CreditBudget, SocialSearch } from '../../src/index.ts'
import { createSandbox } from '../support/sandbox.ts'
import { type RedisServer, startRedis } from '../redis/server.ts'
import { newFolder } from '../support/folder.ts'

const folder = newFolder()
let redis: RedisServer
const ends: (() => unknown)[] = []
beforeAll(async () => void (redis = await startRedis()))
afterAll(async () => {
  for (const end of ends) await end()
  await redis.kill()
})

function onFiles(base: string): CacheStore {
  const storage = createStorage({ driver: fsDriver({ base }) })
  return {
    get: storage.get,
    set: (key, value) => storage.set(key, value),
    delete: storage.del,
    clear: () => storage.clear(),
  }
}

function onRedis(): Keyv {
  const adapter = new KeyvRedis(redis.url)
  // A polite end would wait for a server that is gone.
  ends.push(() => adapter.disconnect(true))
  return new Keyv(adapter)
}

let runs = 0

/** A sandbox, and clients that share an organization as two processes do. */
function world() {
  const sandbox = createSandbox({ limits: { perMinute: false } })
  const organization = `stores ${++runs}`
  const warnings: object[] = []
  const logger = { warn: (_: string, fields: object) => void warnings.push(fields) }
  const open = (store: CacheStore) => {
    const cache = new ResultCache({ store, maxAge: 60_000 })
    return { cache, client: new SocialSearch({ ...sandbox.clientOptions(), organization, cache, logger }) }
  }
  return { sandbox, open, warnings }
}

const search = { query: 'coffee', count: 5 } as const

describe.each<[string, (name: string) => CacheStore]>([
  ['keyv in memory', () => new Keyv()],
  ['keyv with Redis', onRedis],
  ['unstorage with fs', (name) => onFiles(join(folder, name))],
])('a ResultCache on %s', (_, newStore) => {
  it('answers a walk of another process without a request, and deletes it', async () => {
    const { sandbox, open, warnings } = world()
    const store = newStore(`walk-${runs}`)
    const walk = (client: SocialSearch) =>
      client.microblog.search(search, { maxPages: 3 }).toArray({ limit: 15 })
    const expected = await walk(open(store).client)
    expect(sandbox.ledger.spent).toBe(6)
    const { cache, client } = open(store)
    // Answers are stored after they are returned. Without credits, a page that is not stored yet is refused.
    const broke = client.withOptions({ budget: new CreditBudget(0) })
    await expect.poll(() => walk(broke)).toEqual(expected)
    expect(sandbox.ledger.spent).toBe(6)
    await cache.clear()
    await walk(open(store).client)
    expect([sandbox.ledger.spent, warnings]).toEqual([12, []])
  })
})

describe('a store that is damaged or gone', () => {
  it('costs warnings and no answer when files are cut off', async () => {
    const { open, warnings } = world()
    const base = join(folder, 'cut')
    await open(onFiles(base)).client.microblog.search(search)
    const reader = open(onFiles(base)).client.withOptions({ budget: new CreditBudget(0) })
    await expect.poll(() => reader.microblog.search(search)).toBeDefined()
    for (const name of readdirSync(base)) writeFileSync(join(base, name), '{"at":1,"te')
    const { posts } = await open(onFiles(base)).client.microblog.search(search)
    expect(posts).toHaveLength(5)
    expect(warnings.length).toBeGreaterThan(0)
  })

  it('costs no answer when Redis dies', async () => {
    const { open } = world()
    const keyv = onRedis()
    keyv.on('error', () => {})
    const { client } = open(keyv)
    await client.microblog.search(search)
    await redis.kill()
    const { posts } = await client.microblog.search(search)
    expect(posts).toHaveLength(5)
    await redis.restart()
  })
})
