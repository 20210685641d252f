import { describe, expect, it } from 'vitest'
import { type Budget, CreditBudget, CreditBudgetError, type SocialSearch } from '../../src/index.ts'
import { type ProxyUser } from '../../src/extensions/proxy/index.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { clientOf, post, setUp } from './setup.ts'

virtualTime()

describe('a budget of createProxy()', () => {
  const search = (proxy: (request: Request) => Promise<Response>, id: string, query = 'coffee') =>
    settle(post(proxy, { headers: { 'x-user': id }, body: JSON.stringify({ query }) })).then(
      ({ value }) => value!.status,
    )
  const authorize = (request: Request): ProxyUser => ({ id: request.headers.get('x-user') ?? '' })

  it('is separate for each caller', async () => {
    const { proxy, sandbox } = setUp({ budget: 2, authorize })
    expect([await search(proxy, 'ada'), await search(proxy, 'ada'), await search(proxy, 'bob')]).toEqual([
      200, 402, 200,
    ])
    expect(sandbox.ledger.spent).toBe(4)
  })

  it('is not exceeded when many calls of one caller come at once', async () => {
    const { proxy, sandbox } = setUp({ budget: 5, authorize })
    const all = await settle(
      Promise.all(Array.from({ length: 20 }, () => post(proxy, { headers: { 'x-user': 'ada' } }))),
    )
    expect(all.value?.filter(({ status }) => status === 200)).toHaveLength(2)
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

  it('gets a CreditBudgetError with the time it resets', async () => {
    const daily = new CreditBudget(3, { every: 'day', name: 'of ada' })
    const { browser, sandbox } = setUp({ budget: () => daily })
    await call(browser)
    const { error } = await call(browser)
    expect(error).toBeInstanceOf(CreditBudgetError)
    const budget = { needed: 2, remaining: 1, resetsAt: daily.summary().endsAt, whose: 'user' }
    const requestId = expect.stringMatching(/^proxy_/) as string
    expect(error).toMatchObject({ code: 'credit_budget', charged: 'no', requestId })
    expect((error as CreditBudgetError).budget).toEqual(budget)
    expect((error as Error).message).toBe(
      'microblog.search: not sent: it may cost 2 credits and your budget has 1 left until 2026-11-21 00:00 UTC',
    )
    expect((error as CreditBudgetError).attempts).toMatchObject([{ status: 402, outcome: 'credit_budget' }])
    expect([browser.credits.spent, sandbox.ledger.spent]).toEqual([2, 2])
  })

  it.each<
    [
      which: string,
      budget: CreditBudget | undefined,
      ofClient: CreditBudget | undefined,
      whose: 'user' | 'all',
    ]
  >([
    ['its own', new CreditBudget(1), new CreditBudget(9), 'user'],
    ['that of the client', new CreditBudget(9), new CreditBudget(1, { name: 'x' }), 'all'],
    ['that of the client alone', undefined, new CreditBudget(1), 'all'],
  ])('learns that it is %s', async (_, own, ofClient, whose) => {
    const budget = own === undefined ? {} : { budget: () => own }
    const { browser } = setUp(budget, { backend: { budget: ofClient } })
    const { error } = await call(browser)
    const text = `${whose === 'user' ? 'your budget' : 'the budget for all users'} has 1 left; the operator of the proxy can raise it`
    expect((error as Error).message).toBe(`microblog.search: not sent: it may cost 2 credits and ${text}`)
    expect(error).toMatchObject({ code: 'credit_budget', budget: { whose } })
  })

  it('learns that the budget of a proxy behind its proxy is for all users', async () => {
    const { proxy } = setUp({ budget: 1 })
    const { browser } = setUp({ client: clientOf({ auth: false, fetch: proxy }), budget: 100 })
    const { error } = await call(browser)
    expect(error).toMatchObject({
      budget: { whose: 'all' },
      message: expect.stringContaining('the budget for all users'),
    })
  })

  it.each(['ada', '', 1, null, undefined])('does not read %j as whose budget it was', async (whose) => {
    const details = { code: 'credit_budget', charged: 'no', needed: 2, remaining: 1, whose }
    const fetch = () =>
      Promise.resolve(Response.json({ requestId: 'proxy_1', error: details }, { status: 402 }))
    const { error } = await call(clientOf({ auth: false, fetch }))
    expect(error).toMatchObject({ name: 'CreditBudgetError', budget: { needed: 2 } })
    expect(error).not.toHaveProperty('budget.whose')
  })

  it('learns what its own calls have reserved, and not what those of others have', async () => {
    for (const [options, backend, text] of [
      [{ budget: 2 }, {}, 'your budget has 0 left and 2 reserved by other calls; retry when they end'],
      [
        {},
        { budget: new CreditBudget(2) },
        'the budget for all users has 0 left; the operator of the proxy can raise it',
      ],
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

  it('learns whose budget refuses it at the end of a period, when all are asked again', async () => {
    const refusing: Budget = {
      reserve: () => ({
        renew: () => {
          throw new CreditBudgetError({ needed: 2, remaining: 1 })
        },
        settle() {},
      }),
    }
    for (const [own, ofClient, whose] of [
      [refusing, new CreditBudget(10), 'user'],
      [new CreditBudget(10), refusing, 'all'],
    ] as const) {
      const { browser } = setUp({ budget: () => own }, { backend: { budget: ofClient } })
      expect((await call(browser)).error).toMatchObject({ budget: { whose } })
    }
  })

  it('gets no time if the budget never resets', async () => {
    const { browser } = setUp({ budget: 1 })
    const { error } = await call(browser)
    expect(error).toMatchObject({ name: 'CreditBudgetError', budget: { needed: 2, remaining: 1 } })
    expect(error).not.toHaveProperty('budget.resetsAt')
  })

  it('gets the same behind two proxies', async () => {
    const { proxy } = setUp({ budget: () => new CreditBudget(1, { every: 'hour' }) })
    const { browser } = setUp({ client: clientOf({ auth: false, fetch: proxy }) })
    expect((await call(browser)).error).toMatchObject({
      ...{ name: 'CreditBudgetError', code: 'credit_budget' },
      budget: { needed: 2, remaining: 1, resetsAt: expect.any(Number) as unknown },
    })
  })

  it('gets an ApiError if the response does not say what is left', async () => {
    const body = { requestId: 'proxy_1', error: { code: 'credit_budget', charged: 'no', needed: '2' } }
    const fetch = () => Promise.resolve(Response.json(body, { status: 402 }))
    const { error } = await call(clientOf({ auth: false, fetch }))
    expect(error).toMatchObject({ name: 'ApiError', code: 'credit_budget', status: 402, charged: 'no' })
  })

  it('does not believe the service, which has no budgets', async () => {
    const body = { requestId: 'req_1', error: { code: 'credit_budget', needed: 2, remaining: 1 } }
    const { backend, sandbox } = setUp()
    sandbox.inject({ status: 402, body })
    expect((await call(backend)).error).toMatchObject({ name: 'ApiError', status: 402 })
  })
})
