import { describe, expect, it, vi } from 'vitest'
import { type Budget, CreditBudget, CreditBudgetError } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { failure, makeClient, ok, paid, scriptedService, unreachable } from '../../support/service.ts'
import { query } from '../../support/search.ts'

const service = scriptedService()
virtualTime()

const fail = (): never => {
  throw new Error('no connection')
}

/** A budget that takes its time, and what became of its reservations. */
function slowBudget(limit: number, ms: number): { budget: Budget; kept: CreditBudget } {
  const kept = new CreditBudget(limit)
  const reserve: Budget['reserve'] = async (credits, operation) => {
    await new Promise((resolve) => setTimeout(resolve, ms))
    return kept.reserve(credits, operation)
  }
  return { budget: { reserve }, kept }
}

describe('budget', () => {
  it('may be asynchronous, and is settled like any other', async () => {
    service.script(ok(), unreachable(), ok())
    const { budget, kept } = slowBudget(5, 100)
    const client = makeClient({ budget })
    const calls = [1, 2, 3].map(() => client.microblog.search(query).then())
    const { value } = await settle(Promise.allSettled(calls))
    expect(value?.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect(kept.summary()).toMatchObject({ spent: 2, uncertain: 2, reserved: 0 })
    expect(service.arrivals).toHaveLength(2)
  })

  it('releases the reservations of other budgets when it refuses later', async () => {
    const [first, { budget }] = [new CreditBudget(100), slowBudget(1, 100)]
    const { error, reserved } = await service.search({ budget: first }, { budget })
    expect(error).toMatchObject({ name: 'CreditBudgetError', charged: 'no', attempts: [] })
    expect([first.summary().reserved, reserved]).toEqual([0, 0])
  })

  it.each<[string, () => unknown]>([
    ['throws', fail],
    ['rejects', () => Promise.resolve().then(fail)],
  ])('loses no paid answer when it %s at the end of a call, and logs that', async (_, fail) => {
    service.script(ok(), failure(400, 'validation_error'))
    const budget: Budget = { reserve: () => ({ settle: fail }) }
    const error = vi.fn()
    const client = makeClient({ budget, logger: { error } })
    const own = new CreditBudget(10)
    const bought = await service.search(client, { budget: own })
    expect(bought.value?.posts).toHaveLength(1)
    expect(own.summary()).toMatchObject({ spent: 2, reserved: 0 })
    const refused = await service.search(client)
    expect(refused.error).toMatchObject({ status: 400 })
    await client.close()
    expect(client.credits).toMatchObject(paid)
    const fields = { operation: 'microblog.search', reason: 'no connection' }
    expect(error.mock.calls).toEqual(Array(2).fill(['the budget failed', fields]))
  })
})

describe('CreditBudget', () => {
  it.each([-1, Number.NaN, -Infinity, '5' as never])('refuses %s as its limit', (limit) => {
    expect(() => new CreditBudget(limit)).toThrow('a credit budget must be a number of at least 0')
  })

  it('only counts with Infinity as its limit', async () => {
    const tally = new CreditBudget(Infinity, { every: 'day' })
    service.script(() => ok())
    await service.search({ budget: tally })
    expect(tally.summary()).toMatchObject({ limit: Infinity, remaining: Infinity, spent: 2, reserved: 0 })
  })

  it.each([
    [100, 1],
    [1, 100],
  ])(
    'reserves nothing when that of the client has %i credits, and that of the call %i',
    async (...credits) => {
      const [own, ofCall] = credits.map((limit) => new CreditBudget(limit))
      const { error, reserved } = await service.search({ budget: own }, { budget: ofCall })
      expect(error).toBeInstanceOf(CreditBudgetError)
      expect([own!.summary().reserved, ofCall!.summary().reserved, reserved]).toEqual([0, 0, 0])
    },
  )

  it('counts once when it is the budget of both the client and the call', async () => {
    service.script(() => ok())
    const budget = new CreditBudget(2)
    expect((await service.search({ budget }, { budget })).value?.posts).toHaveLength(1)
    expect(budget.summary().spent).toBe(2)
  })
})
