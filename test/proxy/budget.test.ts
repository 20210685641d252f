import { describe, expect, it } from 'vitest'
import { type Budget, CreditBudget, CreditBudgetError, type SocialSearch } from '../../src/index.ts'
import { type ProxyUser } from '../../src/extensions/proxy/index.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { type Setup, clientOf, post, setUp } from './setup.ts'

virtualTime()

describe('a budget of createProxy()', () => {
  const search = (proxy: Setup['proxy'], id: string) =>
    settle(post(proxy, { headers: { 'x-user': id } })).then(({ value }) => value!.status)
  const authorize = (request: Request): ProxyUser => ({ id: request.headers.get('x-user') ?? '' })

  it('is separate for each caller', async () => {
    const { proxy, sandbox } = setUp({ budget: 2, authorize })
    for (const [id, status] of [
      ...([
        ['ada', 200],
        ['ada', 402],
        ['bob', 200],
      ] as const),
    ])
      expect(await search(proxy, id)).toBe(status)
    expect(sandbox.ledger.spent).toBe(4)
  })

  it('is not exceeded when many calls of one caller come at once', async () => {
    const { proxy, sandbox } = setUp({ budget: 5, authorize })
    const statuses = await Promise.all(Array.from({ length: 20 }, () => search(proxy, 'ada')))
    expect(statuses.filter((status) => status === 200)).toHaveLength(2)
    expect(sandbox.ledger.spent).toBe(4)
  })

  it('is kept for callers with uncertain or reserved credits', async () => {
    const limits = { perMinute: false } as const
    const { proxy, sandbox } = setUp({ budget: 2, authorize }, { backend: { limits } })
    sandbox.inject({ delay: 1000, reset: 'after' })
    const first = post(proxy, { headers: { 'x-user': 'ada' } })
    await pass(100)
    expect(await search(proxy, 'ada')).toBe(402)
    expect((await settle(first)).value?.status).toBe(502)
    expect(await search(proxy, 'ada')).toBe(402)
  })

  it('covers the credits that `expectedItems` reserves', async () => {
    const { browser, sandbox } = setUp({ budget: 200, expectedItems: 196 })
    const { value } = await settle(browser.professionalnet.posts.search({ query: 'hiring' }))
    const postUrl = value!.posts[0]!.share_url
    const { error } = await settle(browser.professionalnet.posts.reactions({ postUrl }))
    expect(error).toBeUndefined()
    expect(browser.credits.spent).toBe(sandbox.ledger.spent)
    expect(sandbox.ledger.spent).toBeGreaterThan(4)
  })

  it('may be any budget, such as an asynchronous one', async () => {
    const shared = new CreditBudget(3)
    const budget: Budget = { reserve: async (...args) => Promise.resolve(shared.reserve(...args)) }
    const { proxy, sandbox } = setUp({ budget: () => budget, authorize })
    expect([await search(proxy, 'ada'), await search(proxy, 'bob')]).toEqual([200, 402])
    expect([sandbox.ledger.spent, shared.summary().spent]).toEqual([2, 2])
  })

  it('adds to that of the client with the key', async () => {
    const { proxy } = setUp({ budget: 100, authorize }, { backend: { budget: new CreditBudget(3) } })
    expect([await search(proxy, 'ada'), await search(proxy, 'bob')]).toEqual([200, 402])
  })
})

describe('a page whose budget at createProxy() is used up', () => {
  const call = (client: SocialSearch) => settle(client.microblog.search({ query: 'coffee' }))
  const behind = (options: Parameters<typeof setUp>[0]) =>
    setUp({ client: clientOf({ auth: false, fetch: setUp(options).proxy }), budget: 100 })
  const of = (ofUser: Budget | undefined, ofClient?: Budget) =>
    setUp(ofUser && { budget: () => ofUser }, { backend: { budget: ofClient } })
  const daily = () => new CreditBudget(1, { every: 'day', name: 'of ada' })
  const renew = () => {
    throw new CreditBudgetError({ needed: 2, remaining: 1 })
  }
  const refusing: Budget = { reserve: () => ({ renew, settle() {} }) }

  it.each<[string, () => Setup, whose: 'user' | 'all', resetsAt?: number]>([
    ['its own', () => of(new CreditBudget(1), new CreditBudget(9)), 'user'],
    ['that of the client', () => of(new CreditBudget(9), new CreditBudget(1, { name: 'x' })), 'all'],
    ['that of the client alone', () => of(undefined, new CreditBudget(1)), 'all'],
    ['its own, which resets', () => of(daily()), 'user', Date.UTC(2026, 10, 21)],
    ['that of a proxy behind its proxy', () => behind({ budget: 1 }), 'all'],
    ['one behind its proxy that resets', () => behind({ budget: daily }), 'all', Date.UTC(2026, 10, 21)],
    ['its own, asked again at the end of a period', () => of(refusing, new CreditBudget(10)), 'user'],
    ['that of the client, asked again', () => of(new CreditBudget(10), refusing), 'all'],
  ])('learns that it is %s', async (_, open, whose, resetsAt) => {
    const { browser, sandbox } = open()
    const { error } = await call(browser)
    expect(error).toBeInstanceOf(CreditBudgetError)
    const { budget, message } = error as CreditBudgetError
    expect(budget).toEqual({ needed: 2, remaining: 1, whose, ...(resetsAt !== undefined && { resetsAt }) })
    const which = whose === 'user' ? 'your budget' : 'the budget for all users'
    const end = resetsAt ? ' until 2026-11-21 00:00 UTC' : '; the operator of the proxy can raise it'
    const text = `microblog.search: not sent: it may cost 2 credits and ${which} has 1 left${end}`
    expect(message).toBe(text)
    const requestId = expect.stringMatching(/^proxy_/) as string
    const attempts = [{ status: 402, outcome: 'credit_budget' }]
    expect(error).toMatchObject({ code: 'credit_budget', charged: 'no', requestId, attempts })
    expect([browser.credits.spent, sandbox.requests]).toEqual([0, []])
  })

  it('learns what its own calls have reserved, and not what those of others have', async () => {
    const own = 'your budget has 0 left and 2 reserved by other calls; retry when they end'
    const ofAll = 'the budget for all users has 0 left; the operator of the proxy can raise it'
    for (const [options, backend, text] of [
      [{ budget: 2 }, {}, own],
      [{}, { budget: new CreditBudget(2) }, ofAll],
    ] as const) {
      const { browser, sandbox } = setUp(options, { backend })
      sandbox.inject({ delay: 1000 })
      const first = Promise.resolve(browser.microblog.search({ query: 'coffee' }))
      await pass(100)
      const { error } = await settle(browser.microblog.search({ query: 'tea' }))
      expect((error as Error).message).toBe(`microblog.search: not sent: it may cost 2 credits and ${text}`)
      await settle(first)
    }
  })

  const given = { code: 'credit_budget', charged: 'no', needed: 2, remaining: 1 }

  /** How a search ends that a proxy answers with this error. */
  const answered = async (error: object) => {
    const fetch = () => Promise.resolve(Response.json({ requestId: 'proxy_1', error }, { status: 402 }))
    return (await call(clientOf({ auth: false, fetch }))).error
  }

  it.each(['ada', '', 1, null, undefined])('does not read %j as whose budget it was', async (whose) => {
    const error = await answered({ ...given, whose })
    expect(error).toMatchObject({ name: 'CreditBudgetError', budget: { needed: 2 } })
    expect(error).not.toHaveProperty('budget.whose')
  })

  it('gets an ApiError if the response does not say what is left', async () => {
    const error = await answered({ ...given, needed: '2' })
    expect(error).toMatchObject({ name: 'ApiError', code: 'credit_budget', status: 402, charged: 'no' })
  })

  it('does not believe the service, which has no budgets', async () => {
    const { backend, sandbox } = setUp()
    sandbox.inject({ status: 402, body: { requestId: 'req_1', error: { ...given, charged: undefined } } })
    expect((await call(backend)).error).toMatchObject({ name: 'ApiError', status: 402 })
  })
})
