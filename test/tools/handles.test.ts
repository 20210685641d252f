import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { SocialSearch } from '../../src/index.ts'
import { createTools } from '../../src/extensions/tools/index.ts'
import { query, setUp } from './set-up.ts'

/** Two instances of one server: each has its own client and its own memory. */
function instances(options = {}, clientOptions = {}) {
  const { sandbox } = setUp({}, 5)
  const tools = () => {
    const client = new SocialSearch({ ...sandbox.clientOptions(), ...clientOptions })
    return createTools({ client, budget: 50, ...options }).microblog_search
  }
  return { sandbox, one: tools(), two: tools() }
}

/** A person who answers only when so many calls have asked. */
function approvalOf(calls: number) {
  const asked = Promise.withResolvers<boolean>()
  return () => {
    if (--calls === 0) asked.resolve(true)
    return asked.promise
  }
}

const urlsOf = ({ items = [] }: { items?: Record<string, unknown>[] }) => items.map(({ url }) => url)

describe('execute() goes on at another instance', () => {
  it('with the next page, at the price of one page', async () => {
    const { sandbox, one, two } = instances()
    const { next } = await one.execute({ query })
    const there = await two.execute({ query, next })
    expect([there.ok, there.credits.spent, sandbox.ledger.spent]).toEqual([true, 2, 4])
    expect(urlsOf(there)).toEqual(urlsOf(await one.execute({ query, next })))
    expect(there.notice).not.toContain('charged again')
  })

  it('within a page, which it pays for again once, and says so', async () => {
    const { sandbox, one, two } = instances({ maxItems: 15 })
    const { next } = await one.execute({ query })
    const there = [await two.execute({ query, next }), await two.execute({ query, next })]
    const here = await one.execute({ query, next })
    const results = [...there, here]
    expect(results.map(urlsOf)).toEqual(Array(3).fill(urlsOf(here)))
    expect(results.map(({ notice }) => notice?.includes('charged again'))).toEqual([true, false, false])
    expect(results.map(({ credits }) => credits.spent)).toEqual([2, 0, 0])
    expect([here.items?.length, sandbox.ledger.spent]).toEqual([5, 4])
  })

  it('within a page that several calls want there, and only the one that pays for it says so', async () => {
    const { sandbox, one } = instances({ maxItems: 15 })
    const { next } = await one.execute({ query })
    const client = new SocialSearch(sandbox.clientOptions())
    const ask = { confirmAbove: 1, confirm: approvalOf(2) }
    const two = createTools({ client, budget: 50, maxItems: 15, ...ask }).microblog_search
    const calls = await Promise.all([1, 2].map(() => two.execute({ query, next })))
    expect([calls.map(({ items }) => items?.length), sandbox.ledger.spent]).toEqual([[5, 5], 4])
    expect(calls.filter(({ notice }) => notice?.includes('charged again'))).toHaveLength(1)
  })

  it('with no handle of a client with another key', async () => {
    const { one } = instances()
    const { sandbox } = setUp()
    const other = new SocialSearch({ ...sandbox.clientOptions(), apiKey: sandbox.writeKey })
    const { next } = await one.execute({ query })
    const { microblog_search } = createTools({ client: other, budget: 50 })
    expect((await microblog_search.execute({ query, next })).error?.code).toBe('unknown_handle')
  })

  it('not if each client gets its tokens from a provider', async () => {
    const { sandbox } = setUp()
    const { one, two } = instances({}, { apiKey: undefined, auth: { token: () => sandbox.apiKey } })
    const { next } = await one.execute({ query })
    expect((await two.execute({ query, next })).error?.code).toBe('unknown_handle')
    expect((await one.execute({ query, next })).ok).toBe(true)
  })
})

describe('execute() goes on at the same instance', () => {
  it('within the page that was paid for, also after the same search was paid for again', async () => {
    const { sandbox, tools } = setUp({ maxItems: 15 }, 0, {
      // The later answer has the same posts in another order.
      fetch: async (request) => {
        const response = await sandbox.fetch(request)
        if (sandbox.requests.length === 1) return response
        const { posts, ...others } = (await response.json()) as { posts: unknown[] }
        return Response.json({ ...others, posts: posts.toReversed() })
      },
    })
    const { execute } = tools.microblog_search
    const [first, second] = [await execute({ query }), await execute({ query })]
    const rests = [await execute({ query, next: first.next }), await execute({ query, next: second.next })]
    expect(urlsOf(rests[0]!)).toEqual(urlsOf(second).slice(0, 5).toReversed())
    expect(urlsOf(rests[1]!)).toEqual(urlsOf(first).slice(0, 5).toReversed())
    expect(sandbox.ledger.spent).toBe(4)
  })
})

describe('execute() with reuseFor', () => {
  it('answers an equal call from the first, for 0 credits, and says so', async () => {
    const { sandbox, one } = instances({ reuseFor: 60_000 })
    const first = await one.execute({ query, count: null })
    const second = await one.execute({ query })
    expect([second.items, second.credits.spent, sandbox.ledger.spent]).toEqual([first.items, 0, 2])
    expect(second.notice).toContain('This is the answer of an equal call 0 seconds ago.')
    expect((await one.execute({ query: 'tea' })).credits.spent).toBe(2)
  })

  it('pays again when the first one is older than that, whoever has got the answer meanwhile', async () => {
    const { sandbox, one } = instances({ reuseFor: 60_000 })
    const now = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now')
    onTestFinished(() => {
      clock.mockRestore()
    })
    const spent: number[] = []
    for (const later of [0, 40_000, 80_000]) {
      clock.mockImplementation(() => now() + later)
      await one.execute({ query })
      spent.push(sandbox.ledger.spent)
    }
    expect(spent).toEqual([2, 2, 4])
  })

  it('pays for three pages when the first of four is known', async () => {
    const { sandbox, one } = instances({ reuseFor: 60_000, maxText: 20 })
    await one.execute({ query })
    const all = await one.execute({ query, pages: 4 })
    expect([all.pages, all.credits.spent, sandbox.ledger.spent]).toEqual([4, 6, 8])
  })

  it('asks the service again after a failure, and for what is free', async () => {
    const { sandbox, tools } = setUp({ reuseFor: 60_000 })
    sandbox.inject({ operation: 'microblog.search', status: 400 })
    expect((await tools.microblog_search.execute({ query })).ok).toBe(false)
    expect((await tools.microblog_search.execute({ query })).ok).toBe(true)
    await tools.organization_usage.execute({})
    await tools.organization_usage.execute({})
    expect(sandbox.requests).toHaveLength(4)
  })
})
