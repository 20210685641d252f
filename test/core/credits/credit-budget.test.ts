import { describe, expect, it, vi } from 'vitest'
import { type Budget, CreditBudget } from '../../../src/index.ts'
import { abortIn, pass, settle } from '../../support/clock.ts'
import { query } from '../../support/search.ts'
import {
  apiKey,
  failure,
  hang,
  makeClient,
  notPaid,
  ok,
  paid,
  unreachable,
  virtualService,
} from '../../support/service.ts'

const service = virtualService()

const reason = new Error('no longer needed')
const fail = (): never => {
  throw new Error('no connection')
}
const reject = () => Promise.resolve().then(fail)

/** A budget that takes its time. */
const slow = (budget: Budget, ms: number): Budget => ({
  reserve: (...args) => new Promise((resolve) => setTimeout(resolve, ms)).then(() => budget.reserve(...args)),
})

/** Budgets that refuse, each in its own way. */
const refusing: [how: string, make: () => Budget][] = [
  ['is spent', () => new CreditBudget(0)],
  ['throws', () => ({ reserve: fail })],
  ['rejects at once', () => ({ reserve: reject })],
  ['rejects later', () => slow({ reserve: reject }, 50)],
]

/** A budget, and how often it was asked. */
const watched = (budget: Budget) => ({ budget, reserve: vi.spyOn(budget, 'reserve') })

describe('search() asks no budget and reserves nothing', () => {
  it.each(refusing)('when its signal is already aborted and the budget %s', async (_, make) => {
    const { budget, reserve } = watched(make())
    const key = vi.fn(() => apiKey)
    const seen = await service.search({ apiKey: key }, { budget, signal: AbortSignal.abort(reason) })
    expect(seen).toMatchObject({ error: reason, ...notPaid, sent: 0 })
    expect([...reserve.mock.calls, ...key.mock.calls]).toEqual([])
  })

  it.each(refusing)('when its client is closed and the budget %s', async (_, make) => {
    const { budget, reserve } = watched(make())
    const client = makeClient({ budget })
    await settle(client.close())
    expect(await service.search(client)).toMatchObject({ error: { name: 'ClosedError' }, ...notPaid })
    expect(reserve).not.toHaveBeenCalled()
  })
})

describe('search() rejects with the reason of its signal, and nothing else fails', () => {
  it.each(refusing)('when it is aborted while it asks a budget that %s', async (_, make) => {
    const abort = new AbortController()
    const inner = make()
    const reserve: Budget['reserve'] = (...args) => {
      abort.abort(reason)
      return inner.reserve(...args)
    }
    const { client, error } = await service.search({}, { budget: { reserve }, signal: abort.signal })
    expect(error).toBe(reason)
    // A budget that refuses later.
    await pass(100)
    expect(client.credits).toMatchObject(notPaid)
  })

  it('when it is aborted while it asks the first of two budgets', async () => {
    const first = new CreditBudget(10)
    const { budget, reserve } = watched(new CreditBudget(10))
    const { error } = await service.search(
      { budget: slow(first, 50) },
      { budget, signal: abortIn(10, reason) },
    )
    await pass(100)
    expect([error, reserve.mock.calls, first.summary().reserved]).toEqual([reason, [], 0])
  })

  it('when it is aborted while a second budget never answers: the first has its credits again', async () => {
    const first = new CreditBudget(10)
    const options = { budget: { reserve: hang }, signal: abortIn(10, reason) }
    expect((await service.search({ budget: first }, options)).error).toBe(reason)
    expect(first.summary()).toMatchObject({ reserved: 0, remaining: 10 })
  })
})

describe('budget', () => {
  it('may be asynchronous, and is settled like any other', async () => {
    service.script(ok(), unreachable(), ok())
    const kept = new CreditBudget(5)
    const client = makeClient({ budget: slow(kept, 100) })
    const calls = [1, 2, 3].map(() => client.microblog.search(query).then())
    const { value } = await settle(Promise.allSettled(calls))
    expect(value?.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect(kept.summary()).toMatchObject({ spent: 2, uncertain: 2, reserved: 0 })
    expect(service.arrivals).toHaveLength(2)
  })

  it.each<[string, () => unknown]>([
    ['throws', fail],
    ['rejects', reject],
  ])('loses no paid answer when it %s at the end of a call, and logs that', async (_, fail) => {
    service.script(ok(), failure(400, 'validation_error'))
    const budget: Budget = { reserve: () => ({ settle: fail }) }
    const error = vi.fn()
    const client = makeClient({ budget, logger: { error } })
    const own = new CreditBudget(10)
    expect((await service.search(client, { budget: own })).value?.posts).toHaveLength(1)
    expect(own.summary()).toMatchObject({ spent: 2, reserved: 0 })
    expect((await service.search(client)).error).toMatchObject({ status: 400 })
    await client.close()
    expect(client.credits).toMatchObject(paid)
    const fields = { operation: 'microblog.search', reason: 'no connection' }
    expect(error.mock.calls).toEqual(Array(2).fill(['the budget failed', fields]))
  })

  it.each([
    [100, 1, 0],
    [1, 100, 0],
    [100, 1, 100],
  ])('of %i credits keeps none when that of the call has %i and answers after %i ms', async (...row) => {
    const [limit, limitOfCall, ms] = row
    const [own, ofCall] = [new CreditBudget(limit), new CreditBudget(limitOfCall)]
    const budget = ms === 0 ? ofCall : slow(ofCall, ms)
    const { error, reserved } = await service.search({ budget: own }, { budget })
    expect(error).toMatchObject({ name: 'CreditBudgetError', charged: 'no', attempts: [] })
    expect([own.summary().reserved, ofCall.summary().reserved, reserved]).toEqual([0, 0, 0])
  })
})

describe('CreditBudget', () => {
  it.each([-1, Number.NaN, -Infinity, '5' as never])('refuses %s as its limit', (limit) => {
    expect(() => new CreditBudget(limit)).toThrow('a credit budget must be a number of at least 0')
  })

  it('only counts with Infinity as its limit', async () => {
    const tally = new CreditBudget(Infinity, { every: 'day' })
    await service.script(ok()).search({ budget: tally })
    expect(tally.summary()).toMatchObject({ limit: Infinity, remaining: Infinity, spent: 2, reserved: 0 })
  })

  it('counts once when it is the budget of both the client and the call', async () => {
    const budget = new CreditBudget(2)
    expect((await service.script(ok()).search({ budget }, { budget })).value?.posts).toHaveLength(1)
    expect(budget.summary().spent).toBe(2)
  })
})
