import { describe, expect, it } from 'vitest'
import { CreditBudgetError, SocialSearch } from '../../src/index.ts'
import { createSandbox } from '../../src/extensions/sandbox/index.ts'
import { redisStore, SharedBudget, type SharedBudgetOptions } from '../../src/extensions/shared/index.ts'
import { type Connection, type Package, packages } from './clients.ts'
import { admin, network, newConnection, server } from './workers.ts'

let budgets = 0
const newName = () => `budget ${++budgets}`

/** A budget in the Redis of the file, on its own connection. */
async function open(
  name: string,
  limit: number,
  { client, ...options }: Partial<SharedBudgetOptions> & { client?: Package } = {},
  wrap = (client: Connection['client']) => client,
) {
  const store = redisStore(wrap((await newConnection(client)).client))
  return { budget: new SharedBudget({ store, name, limit, ...options }) }
}

const hasLost = 'the store has lost a part of what was spent; use a budget with a new name'

// What is the same on any store is in test/shared.
describe('SharedBudget on Redis', () => {
  it('never exceeds the limit when many processes reserve at once', async () => {
    const name = newName()
    const all = await Promise.all([0, 1, 2, 3].map((i) => open(name, 51, { client: packages[i % 2]! })))
    const asked = await Promise.allSettled(
      Array.from({ length: 100 }, (_, i) => all[i % 4]!.budget.reserve(2, 'microblog.search')),
    )
    const granted = asked.filter((result) => result.status === 'fulfilled')
    expect(granted).toHaveLength(25)
    for (const result of asked) {
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(CreditBudgetError)
    }
    await expect(all[0]!.budget.reserve(2, 'microblog.search')).rejects.toMatchObject({
      needed: 2,
      remaining: 1,
    })
    expect(await all[1]!.budget.summary()).toMatchObject({
      limit: 51,
      remaining: 1,
      spent: 0,
      uncertain: 0,
      reserved: 50,
    })
  })

  it.each(packages)('refuses before sending while Redis is unreachable, on %s', async (name) => {
    const sandbox = createSandbox()
    const { baseUrl, apiKey, fetch } = sandbox
    const { budget } = await open(newName(), 5, { client: name })
    const client = new SocialSearch({ baseUrl, apiKey, fetch, budget, organization: newName() })
    await server.kill()
    await expect(client.microblog.search({ query: 'coffee' })).rejects.toMatchObject({
      name: 'BudgetUnavailableError',
      operation: 'microblog.search',
      charged: 'no',
      attempts: [],
    })
    expect(sandbox.requests).toHaveLength(0)
    await server.restart()
    await expect.poll(() => client.microblog.search({ query: 'coffee' }), { timeout: 10_000 }).toBeDefined()
  })

  it('refuses when Redis has lost the spent credits', async () => {
    const name = newName()
    const { budget } = await open(name, 10)
    ;(await budget.reserve(2, 'any')).settle(2)
    await budget.flush()
    await admin.flushall()
    // A process that knows nothing of it starts it anew, until one that knows comes by.
    const other = await open(name, 10)
    for (let i = 0; i < 3; i++) await other.budget.reserve(2, 'any')
    await expect(budget.reserve(2, 'any')).rejects.toMatchObject({ reason: hasLost })
    await expect(other.budget.reserve(2, 'any')).rejects.toMatchObject({ reason: hasLost })
    await expect(other.budget.summary()).rejects.toMatchObject({ reason: hasLost })
  })

  it('ignores the reservations of aborted calls when Redis wakes up', async () => {
    const name = newName()
    const [stalled, fresh, other] = await Promise.all([1, 2, 3].map(() => open(name, 10)))
    await stalled!.budget.summary()
    await other!.budget.summary()
    await server.suspend()
    const [first, second] = [stalled, fresh].map((process) =>
      Promise.allSettled([1, 2, 3, 4].map(() => process!.budget.reserve(2, 'any'))),
    )
    for (const result of [...(await first!), ...(await second!)]) {
      expect(result).toMatchObject({ reason: { name: 'BudgetUnavailableError' } })
    }
    const asked = [1, 2].map(() => other!.budget.reserve(5, 'any'))
    await server.resume()
    for (const reservation of await Promise.all(asked)) reservation.settle(5)
    await Promise.all([stalled, fresh, other].map((process) => process!.budget.flush()))
    expect(await other!.budget.summary()).toMatchObject({ spent: 10, uncertain: 0, reserved: 0 })
  })

  it('counts the outcomes that Redis lacks before it refuses', async () => {
    const { commands, wrap } = network()
    const { budget } = await open(newName(), 10, {}, wrap)
    const reservations = [await budget.reserve(4, 'any'), await budget.reserve(4, 'any')]
    commands.meet = () => Promise.reject(new Error('the network failed'))
    reservations.forEach((reservation) => reservation.settle(1))
    await expect.poll(() => budget.reserve(4, 'any').catch(String)).toMatch(/the network failed/)
    commands.meet = (send) => send()
    ;(await budget.reserve(8, 'any')).settle(0)
    await expect(budget.reserve(9, 'any')).rejects.toBeInstanceOf(CreditBudgetError)
  })
})
