import { describe, expect, it, vi } from 'vitest'
import { type Budget, CreditBudget, type ObservedBudget, SocialSearch } from '../../../src/index.ts'
import { SharedBudget, memoryStore } from '../../../src/extensions/shared/index.ts'
import { createTools } from '../../../src/extensions/tools/index.ts'
import { pass, settle, virtualTime } from '../../support/clock.ts'
import { createSandbox } from '../../support/sandbox.ts'

virtualTime()

const day = 86_400_000

/** A client with a budget, and what it is told of it. */
function clientWith(budget: Budget) {
  const events: ObservedBudget[] = []
  const warn = vi.fn()
  const sandbox = createSandbox({ limits: { perMinute: false } })
  const options = { ...sandbox.clientOptions(), limits: { perMinute: false } as const, logger: { warn } }
  const observers = [{ onBudget: (event: ObservedBudget) => void events.push(event) }]
  const client = new SocialSearch({ ...options, budget, observers })
  const search = async (times: number, by = client) => {
    for (let i = 0; i < times; i++) await settle(by.microblog.search({ query: `coffee ${i}` }))
  }
  const lines = () => warn.mock.calls.map(([message]) => message as string)
  return { client, events, warn, search, lines }
}

const terms = { every: 'day', name: 'team' } as const
const endsAt = Date.UTC(2026, 10, 21)

describe.each<[string, () => Budget]>([
  ['CreditBudget', () => new CreditBudget(10, terms)],
  ['SharedBudget', () => new SharedBudget({ ...terms, limit: 10, store: memoryStore() })],
])('a %s', (_, make) => {
  it('says once a period that it is low, and once that it is used up: what is left, until when, what spent most', async () => {
    const { client, events, warn, search, lines } = clientWith(make())
    await settle(client.professionalnet.posts.search({ query: 'coffee' }))
    await search(2)
    expect(events).toEqual([])
    await search(4)
    const told = { name: 'team', limit: 10, endsAt }
    expect(events).toEqual([
      { ...told, state: 'low', remaining: 2, most: expect.any(String) as string },
      { ...told, state: 'spent', remaining: 0, most: 'microblog.search' },
    ])
    expect(lines()).toEqual(['a budget is low', 'a budget is spent'])
    expect(warn).toHaveBeenLastCalledWith('a budget is spent', {
      ...{ budget: 'team', limit: 10, remaining: 0, most: 'microblog.search' },
      resetsAt: '2026-11-21T00:00:00.000Z',
    })
    await pass(day)
    await search(7)
    expect(events.map(({ state }) => state)).toEqual(['low', 'spent', 'low', 'spent'])
    expect(events.at(-1)).toMatchObject({ endsAt: endsAt + day })
  })

  it('says so once to all clients that share it', async () => {
    const budget = make()
    const [one, other] = [clientWith(budget), clientWith(budget)]
    await one.search(4)
    await other.search(4)
    await one.search(4)
    expect([one.lines(), other.lines()]).toEqual([[], ['a budget is low', 'a budget is spent']])
  })
})

describe('a warning of a budget', () => {
  it.each([
    ['is left of a budget that is hardly used', 50, 0],
    ['a budget has in all', 10, 4],
  ])('does not come when one call needs more than %s', async (_, limit, searches) => {
    const { client, search, lines } = clientWith(new CreditBudget(limit))
    await search(searches)
    const { error } = await settle(client.professionalnet.posts.comments({ postUrl: 'https://x.example/1' }))
    expect(error).toMatchObject({ code: 'credit_budget' })
    expect(lines()).toEqual([])
  })

  it('changes nothing when the observer throws', async () => {
    const { client, search, lines } = clientWith(new CreditBudget(4))
    const onBudget = () => {
      throw new Error('x')
    }
    await search(1)
    await search(3, client.withOptions({ observers: [{ onBudget }] }))
    expect(lines()).toContain('a budget is spent')
    expect(client.credits.spent).toBe(4)
  })

  it.each([Infinity, NaN])('has no time when the budget ends at %s', async (endsAt) => {
    const low = { limit: 10, remaining: 1, endsAt }
    const { client, warn, search } = clientWith({ reserve: () => ({ settle: () => {}, low }) })
    await search(1)
    expect(client.credits.spent).toBe(2)
    expect(warn).toHaveBeenCalledWith('a budget is low', { limit: 10, remaining: 1 })
  })

  it('does not speak of the price of one call of a tool', async () => {
    const { client, lines } = clientWith(new CreditBudget(1000))
    const tools = createTools({ client, budget: 500, allow: ['microblog.search'] })
    await settle(tools.microblog_search.execute({ query: 'coffee', pages: 5 }))
    expect(client.credits.spent).toBeGreaterThan(2)
    expect(lines()).toEqual([])
  })
})
