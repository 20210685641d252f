import { describe, expect, it, vi } from 'vitest'
import { settle, virtualTime } from '../support/clock.ts'
import { failure, hang, ok, rateLimited, slow } from '../support/service.ts'
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
/** Options of a client that shares its limits with no other. */
const alone = (more: object = {}) => ({ ...options, organization: crypto.randomUUID(), ...more })
const answering = () => vi.fn(() => Promise.resolve(ok()))

describe('two copies of the package in a process', () => {
  it('share the limits of an organization', async () => {
    let [open, peak] = [0, 0]
    const sentAt: number[] = []
    const fetch = () => {
      peak = Math.max(peak, ++open)
      sentAt.push(performance.now())
      return slow(100, () => (open--, ok()))()
    }
    const start = performance.now()
    const calls = [one, two].flatMap(({ SocialSearch }) => {
      const { microblog } = new SocialSearch({ ...options, fetch })
      return Array.from({ length: 15 }, () => microblog.search(query))
    })
    await settle(Promise.all(calls))
    expect([peak, sentAt.filter((at) => at < start + 60_000).length, sentAt.length]).toEqual([2, 20, 30])
  })

  it('wait for the same end of a 429, and say so with their own error', async () => {
    const fetch = vi.fn(() => Promise.resolve(rateLimited(600)))
    const own = alone({ fetch })
    await settle(new one.SocialSearch(own).microblog.search(query))
    const { error } = await settle(new two.SocialSearch(own).microblog.search(query))
    expect(error).toBeInstanceOf(two.RateLimitError)
    expect([(error as { attempts: unknown[] }).attempts, fetch.mock.calls.length]).toEqual([[], 1])
  })

  it('refresh a token of one provider once', async () => {
    let token = 'token_1'
    const refresh = vi.fn(() => Promise.resolve(void (token = 'token_2')))
    const fetch = ({ headers }: Request) => {
      const isFresh = headers.get('authorization') === 'Bearer token_2'
      return Promise.resolve(isFresh ? ok() : failure(401, 'unauthorized'))
    }
    const own = { ...options, apiKey: undefined, auth: { token: () => token, refresh }, fetch }
    const calls = [one, two].map(({ SocialSearch }) => new SocialSearch(own).microblog.search(query))
    await settle(Promise.all(calls))
    expect(refresh).toHaveBeenCalledTimes(1)
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
    const cached = (fetch: () => Promise<Response>) =>
      new one.SocialSearch(alone({ fetch, cache: new two.ResultCache({ maxAge: 60_000 }) }))

    it('pay once for equal calls', async () => {
      const fetch = answering()
      const client = cached(fetch)
      for (let calls = 0; calls < 2; calls++) await settle(client.microblog.search(query))
      expect([fetch.mock.calls.length, client.credits]).toMatchObject([1, { spent: 2, saved: 2 }])
      const { error } = await settle(client.microblog.search({ query: 'go' }, { cache: 'only' }))
      expect(error).toMatchObject({ code: 'not_cached' })
    })

    it('take over a request that its budget has refused', async () => {
      const fetch = answering()
      const client = cached(fetch)
      const [refused, sent] = await Promise.all([
        settle(client.microblog.search(query, { budget: new one.CreditBudget(1) })),
        settle(client.microblog.search(query)),
      ])
      expect(refused.error).toMatchObject({ code: 'credit_budget' })
      expect([sent.value?.posts.length, fetch.mock.calls.length]).toEqual([1, 1])
    })

    it('end at the deadline of a call, and with the client', async () => {
      const schema = { '~standard': { version: 1, vendor: 'test', validate: hang } } as const
      const call = cached(answering()).microblog.search(query, { schema, deadline: 500 })
      expect((await settle(call)).error).toMatchObject({ code: 'invalid_response', charged: 'yes' })
      const hanging = cached(hang)
      const closed = settle(hanging.microblog.search(query))
      await settle(hanging.close())
      expect((await closed).error).toBeInstanceOf(one.ClosedError)
    })
  })

  it('pass on what a budget of the other refuses, with the facts of the call', async () => {
    const client = new one.SocialSearch(alone({ budget: new two.CreditBudget(1) }))
    const { error } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ code: 'credit_budget', operation: 'microblog.search', next: query })
  })

  describe('with a client of the other', () => {
    const client = () => new one.SocialSearch(alone({ fetch: answering() }))

    it('make a proxy', async () => {
      const authorize = () => ({ id: 'ada' })
      const proxy = two.createProxy({ client: client(), allow: ['microblog.search'], authorize })
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
