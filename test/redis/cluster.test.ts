import { Cluster } from 'ioredis'
import { createCluster } from 'redis'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type BudgetUnavailableError, CreditBudgetError } from '../../src/index.ts'
import { redisStore, SharedBudget, SharedLimiter } from '../../src/extensions/shared/index.ts'
import { sha256 } from '../../src/lib/hash.ts'
import { realTime } from '../support/real-time.ts'
import { type Connection, type Package, packages } from './clients.ts'
import { type RedisCluster, startCluster } from './cluster.ts'
import { queueRequest } from '../support/limiter.ts'

const { pass } = realTime

let cluster: RedisCluster
const connections: Connection[] = []

beforeAll(async () => void (cluster = await startCluster()))
afterEach(() => {
  for (const connection of connections.splice(0)) connection.cut()
})
afterAll(() => cluster.kill())

async function connect(name: Package): Promise<Connection['client']> {
  const nodes = cluster.ports.map((port) => ({ host: '127.0.0.1', port }))
  if (name === 'ioredis') {
    const client = new Cluster(nodes)
    client.on('error', () => {})
    connections.push({ client, cut: () => client.disconnect() })
    return client
  }
  const client = createCluster({ rootNodes: nodes.map(({ port }) => ({ url: `redis://127.0.0.1:${port}` })) })
  client.on('error', () => {})
  await client.connect()
  connections.push({ client, cut: () => client.destroy() })
  return client
}

describe('SharedBudget on a cluster', () => {
  it('is not exceeded when a lagging replica becomes the master', async () => {
    const [name, limit] = ['march', 2000]
    let charged = 0
    async function callUntilRefused(budget: SharedBudget): Promise<unknown> {
      for (;;) {
        try {
          const reservation = await budget.reserve(1, 'any')
          charged++
          reservation.settle(1)
        } catch (error) {
          if (error instanceof CreditBudgetError || /has lost/.test(String(error))) return error
        }
        await pass(10)
      }
    }
    const clients = await Promise.all([...packages, ...packages].map(connect))
    const budgets = clients.map(
      (client) => new SharedBudget({ store: redisStore(client), name, limit, storeTimeout: 1000 }),
    )
    const refused = Promise.all(budgets.map(callUntilRefused))
    await expect.poll(() => charged).toBeGreaterThan(50)
    const replica = await cluster.cutOff(`social-search:budget-3:${(await sha256(name)).slice(0, 32)}`)
    const before = charged
    await expect.poll(() => charged).toBeGreaterThan(before + 300)
    await replica.call('CLUSTER', 'FAILOVER', 'TAKEOVER')
    const errors = (await refused) as BudgetUnavailableError[]
    expect(charged).toBeLessThanOrEqual(limit)
    const reason = 'the store has lost a part of what was spent; use another budget'
    expect(errors).toMatchObject(budgets.map(() => ({ reason })))
  })
})

describe.each(packages)('SharedLimiter on a cluster, on %s', (name) => {
  it('grants a lease as soon as another process releases it', async () => {
    const limits = { inFlight: 1, perMinute: 100 }
    const open = async () =>
      new SharedLimiter({ store: redisStore(await connect(name)), organization: name, limits })
    const [first, second] = [await open(), await open()]
    const request = queueRequest()
    const lease = await first.acquire(request)
    const waiting = second.acquire(request)
    expect(await Promise.race([waiting, pass(300)])).toBeUndefined()
    lease.end()
    ;(await waiting).end()
    await Promise.all([first.close(), second.close()])
  })
})
