import { describe, expect, it, vi } from 'vitest'
import { type Budget, CreditBudget } from '../../../src/index.ts'
import { page } from '../../support/pages.ts'
import { abortIn, pass, settle, virtualTime } from '../../support/clock.ts'
import {
  apiKey,
  failure,
  hang,
  makeClient,
  notPaid,
  ok,
  paid,
  scriptedService,
} from '../../support/service.ts'
import { query } from '../../support/search.ts'

const service = scriptedService()
virtualTime()

const reason = new Error('no longer needed')
const refuse = () => Promise.reject(new Error('the budget is closed'))
const fail = (): never => {
  throw new Error('the budget is closed')
}

/** Budgets that refuse, each in its own way. */
const refusing: [how: string, make: () => Budget][] = [
  ['is spent', () => new CreditBudget(0)],
  ['throws', () => ({ reserve: fail })],
  ['rejects at once', () => ({ reserve: refuse })],
  [
    'rejects later',
    () => ({ reserve: () => new Promise((resolve) => setTimeout(resolve, 50)).then(refuse) }),
  ],
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

  it('for the next page when its walk is aborted after it has used up the budget', async () => {
    service.script(ok(page(['1'], 'A')))
    const { budget, reserve } = watched(new CreditBudget(2))
    const abort = new AbortController()
    const client = makeClient()
    const pages = client.microblog.search(query, { budget, signal: abort.signal }).pages()
    expect((await settle(pages.next())).value?.done).toBe(false)
    abort.abort(reason)
    expect((await settle(pages.next())).error).toBe(reason)
    expect([reserve.mock.calls.length, client.credits]).toMatchObject([1, paid])
  })

  it('for a retry when it was aborted in the wait before it', async () => {
    const { budget, reserve } = watched(new CreditBudget(2))
    const abort = new AbortController()
    const observers = [{ onWait: () => abort.abort(reason) }]
    service.script(failure(503, 'unavailable'))
    const seen = await service.search({ observers }, { budget, signal: abort.signal })
    expect([seen, reserve.mock.calls.length]).toMatchObject([{ error: reason, ...notPaid }, 1])
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
    const inner = new CreditBudget(10)
    const first: Budget = {
      reserve: (...args) => new Promise((resolve) => setTimeout(() => resolve(inner.reserve(...args)), 50)),
    }
    const { budget, reserve } = watched(new CreditBudget(10))
    const { error } = await service.search({ budget: first }, { budget, signal: abortIn(10, reason) })
    await pass(100)
    expect([error, reserve.mock.calls, inner.summary().reserved]).toEqual([reason, [], 0])
  })

  it('when it is aborted while a second budget never answers: the first has its credits again', async () => {
    const first = new CreditBudget(10)
    const options = { budget: { reserve: hang }, signal: abortIn(10, reason) }
    expect((await service.search({ budget: first }, options)).error).toBe(reason)
    expect(first.summary()).toMatchObject({ reserved: 0, remaining: 10 })
  })
})
