import { describe, expect, it, vi } from 'vitest'
import { type Budget, ClosedError, CreditBudget } from '../../../src/index.ts'
import { page } from '../../support/pages.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { makeClient, ok, scriptedService } from '../../support/service.ts'
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
    const client = makeClient()
    const signal = AbortSignal.abort(reason)
    expect((await settle(client.microblog.search(query, { budget, signal }))).error).toBe(reason)
    expect(reserve).not.toHaveBeenCalled()
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
    expect(service.arrivals).toEqual([])
  })

  it.each(all)('when its client is closed and the budget %s', async (_, make) => {
    const { budget, reserve } = watched(make())
    const client = makeClient({ budget })
    await settle(client.close())
    expect((await settle(client.microblog.search(query))).error).toBeInstanceOf(ClosedError)
    expect(reserve).not.toHaveBeenCalled()
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
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
    expect(client.credits).toMatchObject({ spent: 2, uncertain: 0, reserved: 0 })
  })

  it('for a retry when it was aborted in the wait before it', async () => {
    service.script(new Response('{"requestId":"r","error":{"code":"unavailable"}}', { status: 503 }))
    const { budget, reserve } = watched(new CreditBudget(2))
    const abort = new AbortController()
    const client = makeClient({ onWait: () => abort.abort(reason) })
    const call = client.microblog.search(query, { budget, signal: abort.signal })
    expect((await settle(call)).error).toBe(reason)
    expect(reserve).toHaveBeenCalledOnce()
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
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
    const client = makeClient()
    const call = client.microblog.search(query, { budget, signal: abort.signal })
    expect((await settle(call)).error).toBe(reason)
    // A budget that refuses later.
    await vi.advanceTimersByTimeAsync(100)
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
  })

  it('when it is aborted while it asks the first of two budgets', async () => {
    const abort = new AbortController()
    const inner = new CreditBudget(10)
    const first: Budget = {
      reserve: (...args) => new Promise((resolve) => setTimeout(() => resolve(inner.reserve(...args)), 50)),
    }
    const { budget, reserve } = watched(new CreditBudget(10))
    const client = makeClient({ budget: first })
    const call = client.microblog.search(query, { budget, signal: abort.signal }).then()
    setTimeout(() => abort.abort(reason), 10)
    expect((await settle(call)).error).toBe(reason)
    await vi.advanceTimersByTimeAsync(100)
    expect(reserve).not.toHaveBeenCalled()
    expect(inner.reserved).toBe(0)
  })

  it('when it is aborted while a second budget never answers: the first has its credits again', async () => {
    const abort = new AbortController()
    const first = new CreditBudget(10)
    const second: Budget = { reserve: () => new Promise(() => {}) }
    const call = makeClient({ budget: first }).microblog.search(query, {
      budget: second,
      signal: abort.signal,
    })
    setTimeout(() => abort.abort(reason), 10)
    expect((await settle(call)).error).toBe(reason)
    expect([first.reserved, first.remaining]).toEqual([0, 10])
  })
})
