import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresStore } from '../../src/postgres/index.ts'
import { SharedBudget, SharedLimiter } from '../../src/shared/index.ts'
import { limiterContract, takePart } from '../limits/contract.ts'
import { openStore } from '../redis/clients.ts'
import { storeContract } from '../shared/store-contract.ts'
import { realTime } from '../support/real-time.ts'
import { type PostgresServer, startPostgres } from './server.ts'

let server: PostgresServer
const cuts: (() => void)[] = []
const open = async () => {
  const { store, cut } = await openStore('postgres', server.url)
  cuts.push(cut)
  return store
}
beforeAll(async () => void (server = await startPostgres()))
afterAll(async () => {
  for (const cut of cuts) cut()
  await server.remove()
})

storeContract('postgresStore', open)

let made: SharedLimiter[] = []
let organizations = 0
limiterContract('SharedLimiter on Postgres', {
  time: realTime,
  async make(count, limits) {
    const organization = `contract ${++organizations}`
    const stores = await Promise.all(Array.from({ length: count }, open))
    made = stores.map((store) => new SharedLimiter({ store, organization, limits }))
    await takePart(made, limits)
    return made
  },
  async end() {
    await Promise.all(made.map((limiter) => limiter.close()))
    for (const cut of cuts.splice(3)) cut()
  },
})

describe('SharedBudget on Postgres', () => {
  it('never exceeds the limit when processes reserve at once, and refuses after TRUNCATE', async () => {
    const stores = await Promise.all([open(), open(), open()])
    const budgets = stores.map((store) => new SharedBudget({ store, name: 'march', limit: 21 }))
    const asked = await Promise.allSettled(
      Array.from({ length: 30 }, (_, i) => budgets[i % 3]!.reserve(2, 'any')),
    )
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    expect(await budgets[0]!.summary()).toMatchObject({ reserved: 20, remaining: 1 })
    server.run('truncate social_search_shared')
    await expect(budgets[1]!.reserve(2, 'any')).rejects.toMatchObject({ code: 'budget_unavailable' })
  })
})

describe('postgresStore()', () => {
  it.each([
    [{}, { table: 'a;b' }, 'table must be a name of small letters'],
    [{}, { tables: 'a' }, 'unknown option tables; did you mean table?'],
    [null, {}, 'pool must have a query() method'],
  ])('refuses %j with %j', (pool, options, message) => {
    const valid = pool && { query: () => {}, connect: () => {} }
    expect(() => postgresStore(valid as never, options as never)).toThrow(message)
  })
})
