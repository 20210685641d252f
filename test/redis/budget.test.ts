import { describe, expect, it } from 'vitest'
import { CreditBudgetError, SocialSearch } from '../../src/index.ts'
import { createSandbox } from '../support/sandbox.ts'
import { redisStore, SharedBudget } from '../../src/extensions/shared/index.ts'
import { type Package, packages } from './clients.ts'
import { admin, newConnection, server } from './workers.ts'

let budgets = 0
const newName = () => `budget ${++budgets}`

/** A budget in the Redis of the file, on its own connection. */
async function open(name: string, limit: number, client?: Package): Promise<SharedBudget> {
  const store = redisStore((await newConnection(client)).client)
  return new SharedBudget({ store, name, limit })
}

const hasLost = 'the store has lost a part of what was spent; use another budget'

// What is the same on any store is in test/shared.
describe('SharedBudget on Redis', () => {
  it('never exceeds the limit when many processes reserve at once', async () => {
    const name = newName()
    const all = await Promise.all([0, 1, 2, 3].map((i) => open(name, 51, packages[i % 2])))
    const asked = await Promise.allSettled(
      Array.from({ length: 100 }, (_, i) => all[i % 4]!.reserve(2, 'microblog.search')),
    )
    const granted = asked.filter((result) => result.status === 'fulfilled')
    expect(granted).toHaveLength(25)
    for (const result of asked) {
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(CreditBudgetError)
    }
    await expect(all[0]!.reserve(2, 'microblog.search')).rejects.toMatchObject({
      budget: { needed: 2, remaining: 1 },
    })
    expect(await all[1]!.summary()).toMatchObject({
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
    const budget = await open(newName(), 5, name)
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
    const budget = await open(name, 10)
    ;(await budget.reserve(2, 'any')).settle(2)
    await budget.flush()
    await admin.flushall()
    // A process that knows nothing of it starts it anew, until one that knows comes by.
    const other = await open(name, 10)
    for (let i = 0; i < 3; i++) await other.reserve(2, 'any')
    await expect(budget.reserve(2, 'any')).rejects.toMatchObject({ reason: hasLost })
    await expect(other.reserve(2, 'any')).rejects.toMatchObject({ reason: hasLost })
    await expect(other.summary()).rejects.toMatchObject({ reason: hasLost })
  })
})
