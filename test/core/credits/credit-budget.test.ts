import { describe, expect, it, vi } from 'vitest'
import { type Budget, CreditBudget, CreditBudgetError } from '../../../src/index.ts'
import { pass, settle, virtualTime } from '../../support/clock.ts'
import { failure, makeClient, ok, rateLimited, scriptedService, unreachable } from '../../support/service.ts'
import { query } from '../../support/search.ts'

const service = scriptedService()
virtualTime()

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
    expect(kept).toMatchObject({ spent: 2, uncertain: 2, reserved: 0 })
    expect(service.arrivals).toHaveLength(2)
  })

  it('releases the reservations of other budgets when it refuses later', async () => {
    const [first, { budget }] = [new CreditBudget(100), slowBudget(1, 100)]
    const client = makeClient({ budget: first })
    const { error } = await settle(client.microblog.search(query, { budget }))
    expect(error).toMatchObject({ name: 'CreditBudgetError', charged: 'no', attempts: [] })
    expect([first.reserved, client.credits.reserved]).toEqual([0, 0])
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no connection')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no connection'))],
  ])('loses no paid answer when it %s at the end of a call, and logs that', async (_, fail) => {
    service.script(ok(), failure(400, 'validation_error'))
    const budget: Budget = { reserve: () => ({ settle: fail, release: fail, markUncertain: fail }) }
    const error = vi.fn()
    const client = makeClient({ budget, logger: { error } })
    const own = new CreditBudget(10)
    const paid = await settle(client.microblog.search(query, { budget: own }))
    expect(paid.value?.posts).toHaveLength(1)
    expect(own.toJSON()).toMatchObject({ spent: 2, reserved: 0 })
    const refused = await settle(client.microblog.search(query))
    expect(refused.error).toMatchObject({ status: 400 })
    await client.close()
    expect(client.credits).toMatchObject({ spent: 2, uncertain: 0, reserved: 0 })
    const fields = { operation: 'microblog.search', reason: 'Error: no connection' }
    expect(error.mock.calls).toEqual([
      ['the budget failed', fields],
      ['the budget failed', fields],
    ])
  })

  it('releases a reservation at once that arrives after its call was aborted', async () => {
    const { budget, kept } = slowBudget(5, 100)
    const abort = new AbortController()
    const client = makeClient({ budget })
    const call = client.microblog.search(query, { signal: abort.signal }).then(
      () => undefined,
      (error: unknown) => error,
    )
    await pass(50)
    const reason = new Error('enough')
    abort.abort(reason)
    expect(await call).toBe(reason)
    await pass(200)
    expect([kept.remaining, client.credits.reserved]).toEqual([5, 0])
    expect(service.arrivals).toHaveLength(0)
  })
})

describe('CreditBudget', () => {
  it.each([-1, Number.NaN, Infinity, '5' as never])('refuses %s as its limit', (limit) => {
    expect(() => new CreditBudget(limit)).toThrow('a credit budget must be a number of at least 0')
  })

  it('is never exceeded when many calls of several clients run at once', async () => {
    service.script(() => ok())
    const budget = new CreditBudget(11)
    const clients = [makeClient({ budget }), makeClient({ budget })]
    const calls = clients.flatMap((client) =>
      Array.from({ length: 10 }, () => client.microblog.search(query).then()),
    )
    const { value } = await settle(Promise.allSettled(calls))
    expect(value?.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    for (const result of value ?? []) {
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(CreditBudgetError)
    }
    expect(service.arrivals).toHaveLength(5)
    expect(budget).toMatchObject({ spent: 10, uncertain: 0, reserved: 0, remaining: 1 })
  })

  it('releases the credits that a failed call did not cost', async () => {
    service.script(failure(400, 'validation_error'), ok())
    const client = makeClient({ budget: new CreditBudget(2) })
    expect((await settle(client.microblog.search(query))).error).toMatchObject({ status: 400 })
    expect((await settle(client.microblog.search(query))).value?.posts).toHaveLength(1)
  })

  it('counts uncertain credits as spent', async () => {
    service.script(unreachable(), ok())
    const budget = new CreditBudget(3)
    const client = makeClient({ budget })
    await settle(client.microblog.search(query))
    const { error } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ needed: 2, remaining: 1, charged: 'no' })
    expect(JSON.parse(JSON.stringify(budget))).toEqual({
      limit: 3,
      remaining: 1,
      spent: 0,
      uncertain: 2,
      reserved: 0,
    })
  })

  it('keeps its reservation while a call waits for its retry', async () => {
    service.script(rateLimited(5), () => ok())
    const client = makeClient({ budget: new CreditBudget(2) })
    const first = client.microblog.search(query).then()
    const second = client.microblog.search(query).then()
    const { value } = await settle(Promise.allSettled([first, second]))
    expect(value?.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  })

  it('refuses a retry that it cannot cover, and reports the possible cost of the first attempt', async () => {
    service.script(unreachable(), ok())
    const client = makeClient({ budget: new CreditBudget(3), retry: { ambiguous: true } })
    const { error } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ name: 'CreditBudgetError', charged: 'unknown' })
    expect(service.arrivals).toHaveLength(1)
  })

  it('reserves nothing in any budget when one of them refuses', async () => {
    service.script(() => ok())
    const [first, second] = [new CreditBudget(100), new CreditBudget(1)]
    const client = makeClient({ budget: first })
    expect((await settle(client.microblog.search(query, { budget: second }))).error).toBeInstanceOf(
      CreditBudgetError,
    )
    expect([first.reserved, second.reserved, client.credits.reserved]).toEqual([0, 0, 0])
  })

  it('counts once when it is the budget of both the client and the call', async () => {
    service.script(() => ok())
    const budget = new CreditBudget(2)
    const client = makeClient({ budget })
    expect((await settle(client.microblog.search(query, { budget }))).value?.posts).toHaveLength(1)
    expect(budget.spent).toBe(2)
  })

  it('of a call adds to that of its client', async () => {
    service.script(() => ok())
    const own = new CreditBudget(100)
    const client = makeClient({ budget: new CreditBudget(1) })
    const { error } = await settle(client.microblog.search(query, { budget: own }))
    expect(error).toBeInstanceOf(CreditBudgetError)
    expect(own.reserved).toBe(0)
  })
})
