import { describe, expect, it } from 'vitest'
import { type ClientOptions, CreditBudget, type Endpoint, type SocialSearch } from '../../../src/index.ts'
import { settle } from '../../support/clock.ts'
import { failure, makeClient, ok, unreachable, virtualService } from '../../support/service.ts'
import { comments, page } from '../../support/pages.ts'
import { query } from '../../support/search.ts'

const service = virtualService()

/** Searches, and hands over what the call says of itself. */
const response = (client: Partial<ClientOptions> | SocialSearch = {}) =>
  service.see(({ microblog }) => microblog.search(query).withResponse(), client)
const charged = (creditsCharged: unknown) => ok({ ...page(['1']), meta: { hasMore: false, creditsCharged } })

describe('client.credits', () => {
  it('counts each success at its price, and nothing for errors of the service', async () => {
    service.script(ok(), failure(400, 'validation_error'), failure(401, 'unauthorized'), ok())
    const client = makeClient()
    for (let i = 0; i < 4; i++) await service.search(client)
    const summary = { spent: 4, uncertain: 0, reserved: 0 }
    expect(client.credits).toEqual({ ...summary, saved: 0, byOperation: { 'microblog.search': summary } })
  })

  it('counts the items at the path that paging.items names', async () => {
    service.script(ok({ requestId: 'r', reactions: ['kinds'], people: [1, 2, 3] }))
    const paging = { items: 'people', next: () => null }
    const seen = await service.see((client) => client.professionalnet.posts.reactions({}, { paging }))
    expect(seen).toMatchObject({ spent: 3, uncertain: 0, reserved: 0 })
  })

  it('counts the credits that the service reports, even for a free call', async () => {
    service.script(ok(comments(0, 50)))
    const budget = new CreditBudget(100)
    const client = makeClient({ budget, prices: { 'professionalnet.posts.comments': 0 } })
    await settle(client.professionalnet.posts.comments({ postUrl: 'https://network.example/p' }))
    expect([client.credits.spent, budget.summary().spent]).toEqual([50, 50])
  })

  it.each<[string, Endpoint]>([
    ['an endpoint with a price', { method: 'POST', path: '/data/reposts', credits: 1 }],
    ['an endpoint that should be free', { method: 'GET', path: '/data/reposts' }],
  ])('counts what the answer of %s says that it has charged', async (_, endpoint) => {
    const budget = new CreditBudget(100)
    const credits = { spent: 40, uncertain: 0 }
    service.script(ok({ requestId: 'r', reposts: [], meta: { creditsCharged: 40 } }))
    const seen = await service.see((client) => client.request(endpoint).withResponse(), { budget })
    const value = { credits, attempts: [{ charged: 'yes' }] }
    expect(seen).toMatchObject({ ...credits, reserved: 0, value })
    // A budget is not asked about a free call.
    expect(budget.summary()).toMatchObject({ spent: endpoint.credits === undefined ? 0 : 40, reserved: 0 })
  })

  it.each([
    [5, 5, 0],
    [0, 0, 0],
    ['3', 0, 2],
  ])('counts what a search says that it has charged, and doubts what cannot be read: %j', async (...row) => {
    const [said, spent, uncertain] = row
    service.script(charged(said))
    expect((await response({ validation: 'off' })).value?.credits).toEqual({ spent, uncertain })
  })

  it('counts no creditsCharged of a call that the service documents as free', async () => {
    service.script(charged(40))
    expect((await service.see(({ organization }) => organization.usage())).spent).toBe(0)
  })

  it('adds up fractions of credits exactly, also of several operations', async () => {
    service.script(() => ok())
    const budget = new CreditBudget(0.4)
    const client = makeClient({ budget, prices: { 'microblog.search': 0.1, 'technews.search': 0.2 } })
    for (let i = 0; i < 2; i++) expect((await service.search(client)).error).toBeUndefined()
    await settle(client.technews.search({ query: 'rust' }))
    expect([budget.remaining, client.credits.spent]).toEqual([0, 0.4])
    const other = await service.search({ prices: { 'microblog.search': 0.1 } })
    await settle(other.client.withOptions({}).microblog.search(query))
    expect((await service.search(other.client)).spent).toBe(0.3)
  })

  it.each([
    ['at the price of a success', {}, [2, 0, 'yes']],
    ['with what it names', { 'social-search-credits': 'spent=5, uncertain=0, charged=yes' }, [5, 0, 'yes']],
    [
      'with its doubt',
      { 'social-search-credits': 'spent=0, uncertain=2, charged=unknown' },
      [0, 2, 'unknown'],
    ],
  ])('counts what a fetch responds for a service that failed, %s', async (_, headers, cost) => {
    const [spent, uncertain, charged] = cost
    const answer = () => ok(undefined, { headers })
    service.script(unreachable())
    const seen = await response({ fetch: (request) => fetch(request).catch(answer) })
    const value = { credits: { spent, uncertain }, attempts: [{ charged }] }
    expect(seen).toMatchObject({ value, sent: 1 })
  })

  it.each<[string, Response, object, number]>([
    ['was not charged', failure(400, 'validation_error'), { status: 400, charged: 'unknown' }, 0],
    ['was charged', ok({ requestId: 'req_1', posts: 'none' }), { charged: 'yes' }, 2],
  ])('counts one attempt that may have been charged when a later one %s', async (_, later, error, spent) => {
    service.script(unreachable(), later)
    const seen = await service.search({ retry: { unknown: true } })
    expect(seen).toMatchObject({ error, spent, uncertain: 2 })
  })
})

describe('prices', () => {
  it.each([-1, Number.NaN, '2'])('are refused when one is %s', (price) => {
    const prices = { 'microblog.search': price as number }
    expect(() => makeClient({ prices })).toThrow(/prices.microblog.search must be a number/)
  })
})

describe('creditRates()', () => {
  const documented = {
    ...{ apiTwitterSearchPerRequest: 2, apiLinkedInSearchPerRequest: 4 },
    ...{ apiLinkedInPostCommentsPerComment: 1, apiLinkedInPostReactionsPerReaction: 1 },
  }
  const read = (rates: Record<string, number>) => {
    const constants = Object.entries(rates).map(([name, value]) => [name, { const: value }])
    const schemas = { Other: { properties: { x: {} } }, Rates: { properties: Object.fromEntries(constants) } }
    service.script(ok({ openapi: '3.1.0', components: { schemas } }))
    return service.see((client) => client.creditRates())
  }

  it('reads the rates, and the prices of operations that have one', async () => {
    const rates = { ...documented, aiRelevanceScoring: 0.5 }
    const prices = { 'microblog.search': 2, 'professionalnet.company.get': 4 }
    expect((await read(rates)).value).toMatchObject({ rates, prices })
  })

  it('leaves out the price of an operation whose rate is not published', async () => {
    const { value } = await read({ apiTwitterSearchPerRequest: 3 })
    expect(value?.prices).toEqual({ 'microblog.search': 3 })
  })
})
