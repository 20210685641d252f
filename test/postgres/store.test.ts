import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresStore, SharedLimiter } from '../../src/extensions/shared/index.ts'
import { openStore } from '../redis/clients.ts'
import { sharedLimiterContract } from '../shared/limiter-contract.ts'
import { type StoreServer, storeContract } from '../shared/store-contract.ts'
import { startPgbouncer } from './pgbouncer.ts'
import { type PostgresServer, startPostgres } from './server.ts'
import { queueRequest } from '../support/limiter.ts'
import { realTime } from '../support/real-time.ts'

let server: PostgresServer
let pool: Pool
const cuts: (() => void)[] = []
const poolOf = () => new Pool({ connectionString: server.url, max: 2 }).on('error', () => {})
const open = async () => {
  const { store, cut } = await openStore('postgres', server.url)
  cuts.push(cut)
  return store
}
beforeAll(async () => {
  server = await startPostgres()
  pool = poolOf()
})
afterAll(async () => {
  for (const cut of cuts) cut()
  await pool.end()
  await server.remove()
})

/** The Postgres of the file, as the contract of stores needs it. */
const postgresServer = (): StoreServer => ({
  port: Number(new URL(server.url).port),
  openAt(port: number) {
    const timeouts = { query_timeout: 1000, connectionTimeoutMillis: 1000 }
    const silent = new Pool({ ...timeouts, user: 'postgres', host: '127.0.0.1', port, max: 2 })
    cuts.push(() => void silent.end())
    return postgresStore(silent.on('error', () => {}))
  },
  openThrough: (meet) =>
    postgresStore({
      query: (text, values) => {
        const isWrite = text.includes('insert into social_search_shared as text')
        return meet(() => pool.query(text, values), isWrite) as Promise<{ rows: unknown[] }>
      },
      connect: () => pool.connect(),
    }),
  forget: (key: string) => pool.query('delete from social_search_shared where key = $1', [key]),
  async backUp(key: string) {
    const { rows } = await pool.query('select tag, value from social_search_shared where key = $1', [key])
    const [{ tag, value }] = rows as [{ tag: string; value: string }]
    return () =>
      pool.query('update social_search_shared set tag = $2, value = $3 where key = $1', [key, tag, value])
  },
  async send(key: string, text: string) {
    const payload = text.replaceAll('\u0000', '?')
    for (const each of [payload, key, `${key}\n${payload}`])
      await pool.query('select pg_notify($1, $2)', ['social_search_shared', each])
  },
  longest: 7900,
  async listening() {
    const { rows } = await pool.query(
      `select from pg_stat_activity where query = 'listen social_search_shared'`,
    )
    return rows.length
  },
})

storeContract('postgresStore', open, { server: postgresServer })

// The first three are those of the contract of stores.
sharedLimiterContract('SharedLimiter on Postgres', open, () => cuts.splice(3).forEach((cut) => cut()))

const count = (value = '0') => ({ value: String(Number(value) + 1), message: 'counted', result: value })

describe('postgresStore()', () => {
  it('creates its table when an administrator has dropped it', async () => {
    const pool = poolOf()
    const store = postgresStore(pool)
    const add = () => store.update('a', count)
    expect([await add(), await add()]).toEqual(['0', '1'])
    server.run('drop table social_search_shared')
    expect([await add(), await add()]).toEqual(['0', '1'])
    await pool.end()
  })

  it('takes a write that meets another one in a serializable transaction for a lost one', async () => {
    const options = '-c default_transaction_isolation=serializable'
    const pools = [1, 2, 3].map(() => new Pool({ connectionString: server.url, max: 4, options }))
    const stores = pools.map((pool) => postgresStore(pool))
    await stores[0]!.update('counted', count)
    await Promise.all(Array.from({ length: 30 }, (_, i) => stores[i % 3]!.update('counted', count)))
    expect(await stores[0]!.update('counted', (value) => ({ result: value }))).toBe('31')
    await Promise.all(pools.map((pool) => pool.end()))
  })

  it('takes a write that ends in a deadlock for a lost one', async () => {
    const pool = poolOf()
    let isMet = false
    const query = (text: string, values: unknown[]) => {
      if (isMet || !text.includes('insert into social_search_shared as text ('))
        return pool.query(text, values)
      isMet = true
      return pool.query(`do $$ begin raise exception using errcode = '40P01'; end $$`, [])
    }
    const store = postgresStore({ query, connect: () => pool.connect() })
    await store.update('met', (value = 'nothing') => ({ value: `${value} and mine`, result: 0 }))
    expect(await store.update('met', (value) => ({ result: value }))).toBe('nothing and mine')
    expect(isMet).toBe(true)
    await pool.end()
  })

  it('says that its role may not create the table, and needs no more rights on it than docs/fleet.md says', async () => {
    server.run('create role reader login; revoke create on schema public from public')
    const pool = new Pool({ connectionString: server.url.replace('postgres@', 'reader@'), max: 2 })
    const store = postgresStore(pool)
    server.run('drop table social_search_shared')
    const statement = /^create table social_search_shared \(key text/
    await expect(store.update('counted', count)).rejects.toThrow(statement)
    const columns = 'key text primary key, tag text not null, value text not null'
    server.run(`create table social_search_shared (${columns})`)
    server.run('grant select, insert, update on social_search_shared to reader')
    await Promise.all(Array.from({ length: 20 }, () => store.update('counted', count)))
    expect(await store.update('counted', (value) => ({ result: value }))).toBe('20')
    await pool.end()
  })

  it("polls behind pgbouncer's transaction pooling, where no message arrives", async () => {
    const bouncer = await startPgbouncer(server.url)
    const pools = [1, 2].map(() => new Pool({ connectionString: bouncer.url, max: 2 }))
    const limiters = pools.map((pool) => {
      const store = postgresStore(pool.on('error', () => {}))
      return new SharedLimiter({ store, organization: 'pooled', limits: { inFlight: 1 } })
    })
    const lease = await limiters[0]!.acquire(queueRequest())
    const waiting = limiters[1]!.acquire(queueRequest())
    await realTime.pass(500)
    lease.end()
    ;(await waiting).end()
    await Promise.all(limiters.map((limiter) => limiter.close()))
    await Promise.all(pools.map((pool) => pool.end()))
    await bouncer.end()
  })

  it('listens on one connection for all limiters, and again when it is cut', async () => {
    const pool = poolOf()
    const store = postgresStore(pool)
    const organizations = Array.from({ length: 10 }, (_, i) => `many ${i}`)
    const limiters = organizations.map((organization) => new SharedLimiter({ store, organization }))
    await Promise.all(limiters.map(async (limiter) => (await limiter.acquire(queueRequest())).end()))
    expect(pool.totalCount).toBeLessThanOrEqual(2)
    const received: string[] = []
    const end = store.watch!('cut', (message = 'reconnected') => received.push(message))
    const listening = `pg_stat_activity where query = 'listen social_search_shared'`
    server.run(`select pg_terminate_backend(pid) from ${listening}`)
    await expect.poll(() => received).toContain('reconnected')
    await store.update('cut', () => ({ value: 'x', message: 'after it', result: 0 }))
    await expect.poll(() => received).toContain('after it')
    end()
    await Promise.all(limiters.map((limiter) => limiter.close()))
    await expect.poll(() => pool.totalCount).toBeLessThanOrEqual(1)
    await pool.end()
  })

  it('refuses another pool', () => {
    expect(() => postgresStore(null as never)).toThrow('pool must implement query()')
  })
})
