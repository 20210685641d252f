import { describe, expect, it, vi } from 'vitest'
import { type Budget, CreditBudget } from '../../../src/index.ts'
import { page } from '../../support/pages.ts'
import { abortIn, settle, virtualTime } from '../../support/clock.ts'
import { apiKey, hang, makeClient, notPaid, ok, paid, scriptedService } from '../../support/service.ts'
import { query } from '../../support/search.ts'

const service = scriptedService()
virtualTime()

const reason = new Error('no longer needed')
const refusal = new Error('the budget is closed')

/** Budgets that refuse, each in its own way. */
const refusing: Record<string, () => Budget> = {
  'is spent': () => new CreditBudget(0),
  throws: () => ({
    reserve: () => {
      throw refusal
    },
  }),
  'rejects at once': () => ({ reserve: () => Promise.reject(refusal) }),
  'rejects later': () => ({
    reserve: () => new Promise((_, reject) => setTimeout(() => reject(refusal), 50)),
  }),
}
const all = Object.entries(refusing).map(([how, make]) => [how, make] as const)

/** A budget, and how often it was asked. */
function watched(budget: Budget) {
  return { budget, reserve: vi.spyOn(budget, 'reserve') }
}

describe('search() asks no budget and reserves nothing', () => {
  it.each(all)('when its signal is already aborted and the budget %s', async (_, make) => {
    const { budget, reserve } = watched(make())
    const key = vi.fn(() => apiKey)
    const signal = AbortSignal.abort(reason)
    expect(await service.search({ apiKey: key }, { budget, signal })).toMatchObject({
      error: reason,
      ...notPaid,
      sent: 0,
    })
    expect([reserve, key].map(({ mock }) => mock.calls)).toEqual([[], []])
  })

  it.each(all)('when its client is closed and the budget %s', async (_, make) => {
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
    const call = client.microblog.search(query, { budget, signal: abort.signal })
    const pages = call.pages()
    expect((await settle(pages.next())).value?.done).toBe(false)
    abort.abort(reason)
    expect((await settle(pages.next())).error).toBe(reason)
    expect(reserve).toHaveBeenCalledOnce()
    expect(client.credits).toMatchObject(paid)
  })

  it('for a retry when it was aborted in the wait before it', async () => {
    service.script(new Response('{"requestId":"r","error":{"code":"unavailable"}}', { status: 503 }))
    const { budget, reserve } = watched(new CreditBudget(2))
    const abort = new AbortController()
    const outcome = await service.search(
      { observers: [{ onWait: () => abort.abort(reason) }] },
      { budget, signal: abort.signal },
    )
    expect(outcome).toMatchObject({ error: reason, ...notPaid })
    expect(reserve).toHaveBeenCalledOnce()
  })
})

describe('search() rejects with the reason of its signal, and nothing else fails', () => {
  it.each(all)('when it is aborted while it asks a budget that %s', async (_, make) => {
    const abort = new AbortController()
    const inner = make()
    const budget: Budget = {
      reserve: (...args) => {
        abort.abort(reason)
        return inner.reserve(...args)
      },
    }
    const { client, error } = await service.search({}, { budget, signal: abort.signal })
    expect(error).toBe(reason)
    // A budget that refuses later.
    await vi.advanceTimersByTimeAsync(100)
    expect(client.credits).toMatchObject(notPaid)
  })

  it('when it is aborted while it asks the first of two budgets', async () => {
    const inner = new CreditBudget(10)
    const first: Budget = {
      reserve: (...args) => new Promise((resolve) => setTimeout(() => resolve(inner.reserve(...args)), 50)),
    }
    const { budget, reserve } = watched(new CreditBudget(10))
    const { error } = await service.search({ budget: first }, { budget, signal: abortIn(10, reason) })
    expect(error).toBe(reason)
    await vi.advanceTimersByTimeAsync(100)
    expect(reserve).not.toHaveBeenCalled()
    expect(inner.summary().reserved).toBe(0)
  })

  it('when it is aborted while a second budget never answers: the first has its credits again', async () => {
    const first = new CreditBudget(10)
    const options = { budget: { reserve: hang }, signal: abortIn(10, reason) }
    expect((await service.search({ budget: first }, options)).error).toBe(reason)
    expect([first.summary().reserved, first.remaining]).toEqual([0, 10])
  })
})
