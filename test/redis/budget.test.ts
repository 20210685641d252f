import { describe, expect, it } from 'vitest'
import { CreditBudgetError, SocialSearch } from '../../src/index.ts'
import { createSandbox } from '../../src/extensions/sandbox/index.ts'
import { realTime } from '../support/real-time.ts'
import { packages } from './clients.ts'
import { failures, newName, open, works } from './budgets.ts'
import { network, server } from './workers.ts'

const { pass } = realTime

describe('SharedBudget.reserve()', () => {
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

  it('counts each outcome once, and releases uncharged credits', async () => {
    const { budget } = await open(newName(), 10)
    const [settled, doubted, released] = await Promise.all([1, 2, 3].map(() => budget.reserve(2.5, 'any')))
    settled!.settle(0.1)
    settled!.settle(0, 2.5)
    doubted!.settle(0, 2.5)
    released!.settle(0)
    released!.settle(2.5)
    await budget.flush()
    expect(await budget.summary()).toMatchObject({
      limit: 10,
      remaining: 7.4,
      spent: 0.1,
      uncertain: 2.5,
      reserved: 0,
    })
  })

  it('counts the uncertain credits of a settled reservation', async () => {
    const { budget } = await open(newName(), 100)
    const reservation = await budget.reserve(10, 'any')
    reservation.settle(2, 8)
    await budget.flush()
    expect(await budget.summary()).toMatchObject({ spent: 2, uncertain: 8, remaining: 90 })
  })

  it('reserves fractions up to the exact limit', async () => {
    const { budget } = await open(newName(), 0.3)
    for (let i = 0; i < 3; i++) (await budget.reserve(0.1, 'any')).settle(0.1)
    await budget.flush()
    expect(await budget.summary()).toMatchObject({ spent: 0.3, remaining: 0 })
  })

  it('counts the reservations of a dead process as uncertain, and keeps those of a slow one', async () => {
    const name = newName()
    const [dead, slow] = [await open(name, 10, { lease: 1000 }), await open(name, 10, { lease: 1000 })]
    await dead.budget.reserve(2, 'any')
    const reservation = await slow.budget.reserve(4, 'any')
    dead.connection.cut()
    const expected = { spent: 0, uncertain: 2, reserved: 4, remaining: 4 }
    await expect.poll(() => slow.budget.summary()).toMatchObject(expected)
    reservation.settle(4)
    await slow.budget.flush()
    expect(await slow.budget.summary()).toMatchObject({ spent: 4, uncertain: 2, reserved: 0 })
  })

  it('corrects uncertain credits when their process comes back', async () => {
    const name = newName()
    const { commands, wrap } = network()
    const { budget: late } = await open(name, 10, { lease: 200 }, wrap)
    const { budget } = await open(name, 10)
    const reservation = await late.reserve(4, 'any')
    commands.meet = failures.before
    await expect.poll(() => budget.summary()).toMatchObject({ spent: 0, uncertain: 4 })
    commands.meet = works
    reservation.settle(3)
    await late.flush()
    expect(await budget.summary()).toMatchObject({ spent: 3, uncertain: 0, reserved: 0 })
  })

  it.each(['before', 'after'] as const)(
    'counts an outcome once when it was sent twice, because the network failed %s',
    async (fails) => {
      const { commands, wrap } = network()
      const log: string[] = []
      const logger = { warn: (line: string) => void log.push(line) }
      const { budget } = await open(newName(), 10, { logger }, wrap)
      const [first, second] = [await budget.reserve(2, 'any'), await budget.reserve(2, 'any')]
      commands.meet = failures[fails]
      first.settle(2)
      second.settle(0, 2)
      await pass(700)
      commands.meet = works
      await budget.flush()
      expect(await budget.summary()).toMatchObject({ spent: 2, uncertain: 2, reserved: 0 })
      expect(log).toEqual(['the shared store is unavailable'])
    },
  )

  it.each(['before', 'after'] as const)(
    'refuses when the network fails %s, and cancels the reservation',
    async (fails) => {
      const { commands, wrap } = network()
      const { budget } = await open(newName(), 10, {}, wrap)
      await budget.summary()
      commands.meet = failures[fails]
      await expect(budget.reserve(2, 'any')).rejects.toMatchObject({
        name: 'BudgetUnavailableError',
        reason: 'the network failed',
      })
      commands.meet = works
      await budget.flush()
      expect(await budget.summary()).toMatchObject({ reserved: 0, uncertain: 0, remaining: 10 })
    },
  )
})

describe('SharedBudget', () => {
  it('covers the calls of clients, and refuses others before sending', async () => {
    const sandbox = createSandbox()
    const { baseUrl, apiKey, fetch } = sandbox
    const { budget } = await open(newName(), 5)
    const client = new SocialSearch({ baseUrl, apiKey, fetch, budget, organization: newName() })
    const calls = [1, 2, 3].map(() => client.microblog.search({ query: 'coffee' }).then())
    const outcomes = await Promise.allSettled(calls)
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    await client.close()
    await budget.close()
    expect(await budget.summary()).toMatchObject({ spent: sandbox.ledger.spent, uncertain: 0, reserved: 0 })
    expect(sandbox.requests).toHaveLength(2)
    await expect(budget.reserve(1, 'any')).rejects.toMatchObject({ code: 'budget_unavailable' })
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
})
