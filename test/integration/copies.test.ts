import { describe, expect, it, vi } from 'vitest'
import { settle, virtualTime } from '../support/clock.ts'
import { failure, ok, rateLimited } from '../support/service.ts'
import { query } from '../support/search.ts'

/** A copy of the package, as a bundler makes one for each part of an app. */
const copy = async () => {
  vi.resetModules()
  return {
    ...(await import('../../src/index.ts')),
    ...(await import('../../src/extensions/cache/index.ts')),
    ...(await import('../../src/extensions/proxy/index.ts')),
    ...(await import('../../src/extensions/tools/index.ts')),
  }
}
const [one, two] = [await copy(), await copy()]

virtualTime()

const options = {
  baseUrl: 'https://copies.example/v1',
  apiKey: 'org_live_5f2b8c1d9e',
  logger: false,
} as const

describe('two copies of the package in a process', () => {
  it('share the limits of an organization', async () => {
    let [open, peak] = [0, 0]
    const sentAt: number[] = []
    const fetch = async () => {
      peak = Math.max(peak, ++open)
      sentAt.push(performance.now())
      await new Promise((resolve) => setTimeout(resolve, 100))
      open--
      return ok()
    }
    const clients = [one, two].map(({ SocialSearch }) => new SocialSearch({ ...options, fetch }))
    const start = performance.now()
    await settle(
      Promise.all(
        clients.flatMap((client) => Array.from({ length: 15 }, () => client.microblog.search(query))),
      ),
    )
    expect([peak, sentAt.filter((at) => at < start + 60_000).length, sentAt.length]).toEqual([2, 20, 30])
  })

  it('wait for the same end of a 429, and say so with their own error', async () => {
    const fetch = vi.fn(() => Promise.resolve(rateLimited(600)))
    const [first, second] = [one, two].map(
      ({ SocialSearch }) => new SocialSearch({ ...options, organization: 'refused', fetch }),
    )
    await settle(first!.microblog.search(query))
    const { error } = await settle(second!.microblog.search(query))
    expect(error).toBeInstanceOf(two.RateLimitError)
    expect([(error as { attempts: unknown[] }).attempts, fetch.mock.calls.length]).toEqual([[], 1])
  })

  it('refresh a token of one provider once', async () => {
    let token = 'token_1'
    const auth = {
      token: () => token,
      refresh: vi.fn(() => Promise.resolve(void (token = 'token_2'))),
    }
    const fetch = (request: Request) =>
      Promise.resolve(
        request.headers.get('authorization') === 'Bearer token_2' ? ok() : failure(401, 'unauthorized'),
      )
    const calls = [one, two].map(({ SocialSearch }) =>
      new SocialSearch({ baseUrl: options.baseUrl, logger: false, auth, fetch }).microblog.search(query),
    )
    await settle(Promise.all(calls))
    expect(auth.refresh).toHaveBeenCalledTimes(1)
  })

  it('know the errors of each other by their classes', () => {
    const error = new two.CreditBudgetError({ needed: 2, remaining: 1 })
    expect(one.isSocialSearchError(error)).toBe(true)
    expect(error).toBeInstanceOf(one.CreditBudgetError)
    expect(error).toBeInstanceOf(one.SocialSearchError)
    expect(error).not.toBeInstanceOf(one.ApiError)
    class Own extends one.CreditBudgetError {}
    expect(error).not.toBeInstanceOf(Own)
    expect(new Error('x')).not.toBeInstanceOf(one.SocialSearchError)
  })

  describe('with a cache of the other', () => {
    const cached = (fetch: () => Promise<Response>, more: object = {}) =>
      new one.SocialSearch({
        ...options,
        ...{ organization: `cached ${String(++organizations)}`, fetch, ...more },
        cache: new two.ResultCache({ maxAge: 60_000 }),
      })
    let organizations = 0

    it('pay once for equal calls', async () => {
      const fetch = vi.fn(() => Promise.resolve(ok()))
      const client = cached(fetch)
      for (let calls = 0; calls < 2; calls++) await settle(client.microblog.search(query))
      expect([fetch.mock.calls.length, client.credits]).toMatchObject([1, { spent: 2, saved: 2 }])
      const { error } = await settle(client.microblog.search({ query: 'go' }, { cache: 'only' }))
      expect(error).toMatchObject({ code: 'not_cached' })
    })

    it('take over a request that its budget has refused', async () => {
      const fetch = vi.fn(() => Promise.resolve(ok()))
      const client = cached(fetch)
      const [refused, sent] = await Promise.all([
        settle(client.microblog.search(query, { budget: new one.CreditBudget(1) })),
        settle(client.microblog.search(query)),
      ])
      expect(refused.error).toMatchObject({ code: 'credit_budget' })
      expect([sent.value?.posts.length, fetch.mock.calls.length]).toEqual([1, 1])
    })

    it('end at the deadline of a call, and with the client', async () => {
      const schema = {
        '~standard': { version: 1, vendor: 'test', validate: () => new Promise<never>(() => {}) },
      } as const
      const client = cached(() => Promise.resolve(ok()))
      const late = await settle(client.microblog.search(query, { schema, deadline: 500 }))
      expect(late.error).toMatchObject({ code: 'invalid_response', charged: 'yes' })
      const hanging = cached(() => new Promise(() => {}))
      const call = settle(hanging.microblog.search(query))
      await settle(hanging.close())
      expect((await call).error).toBeInstanceOf(one.ClosedError)
    })
  })

  it('pass on what a budget of the other refuses, with the facts of the call', async () => {
    const client = new one.SocialSearch({ ...options, budget: new two.CreditBudget(1) })
    const { error } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ code: 'credit_budget', operation: 'microblog.search', next: query })
  })

  describe('with a client of the other', () => {
    let organizations = 0
    const client = () =>
      new one.SocialSearch({
        ...options,
        ...{ organization: `taken ${String(++organizations)}`, fetch: () => Promise.resolve(ok()) },
      })

    it('make a proxy', async () => {
      const proxy = two.createProxy({
        ...{ client: client(), allow: ['microblog.search'], authorize: () => ({ id: 'ada' }) },
      })
      const page = new two.SocialSearch({ ...options, apiKey: undefined, auth: false, fetch: proxy })
      const { value } = await settle(page.microblog.search(query))
      expect([value?.posts.length, page.credits.spent]).toEqual([1, 2])
    })

    it('make tools', async () => {
      const tools = two.createTools({ client: client(), budget: new two.CreditBudget(10) })
      const { value } = await settle(tools.microblog_search.execute(query))
      expect(value).toMatchObject({ ok: true, credits: { spent: 2, remaining: 8 } })
    })

    it('make the methods of a resource, with the same ledger', async () => {
      const { transport } = client()
      const call = two.microblog(transport).search(query)
      expect((await settle(call)).value?.posts).toHaveLength(1)
      const invalid = await settle(two.microblog(transport).search({ query: '' }))
      expect(invalid.error).toBeInstanceOf(two.InvalidRequestError)
      expect(transport.credits.spent).toBe(2)
    })
  })
})
