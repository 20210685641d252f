import { describe, expect, it } from 'vitest'
import { CreditBudget, type Endpoint } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { failure, makeClient, ok, scriptedService, unreachable } from '../../support/service.ts'
import { page } from '../../support/pages.ts'
import { query } from '../../support/search.ts'

const service = scriptedService()
virtualTime()

describe('client.credits', () => {
  it('counts each success at its price, and nothing for errors of the service', async () => {
    service.script(ok(), failure(400, 'validation_error'), failure(401, 'unauthorized'), ok())
    const client = makeClient()
    for (let i = 0; i < 4; i++) await settle(client.microblog.search(query))
    const summary = { spent: 4, uncertain: 0, reserved: 0 }
    expect(client.credits).toEqual({ ...summary, saved: 0, byOperation: { 'microblog.search': summary } })
  })

  it('and those of the call add up the attempts of one that may be charged twice', async () => {
    service.script(unreachable(), ok())
    const client = makeClient()
    const { value } = await settle(
      client.microblog.search(query, { retry: { unknown: true } }).withResponse(),
    )
    expect(value?.credits).toEqual({ spent: 2, uncertain: 2 })
    expect(client.credits).toMatchObject({ spent: 2, uncertain: 2 })
  })

  it('counts the items at the path that paging.items names', async () => {
    service.script(ok({ requestId: 'r', reactions: ['kinds'], people: [1, 2, 3] }))
    const client = makeClient()
    const paging = { items: 'people', next: () => null }
    await settle(client.professionalnet.posts.reactions({}, { paging }))
    expect(client.credits).toMatchObject({ spent: 3, uncertain: 0, reserved: 0 })
  })

  it('counts the credits that the service reports, even for a free call', async () => {
    const meta = { returnedCount: 0, creditsCharged: 50 }
    service.script(ok({ requestId: 'r', comments: [], meta }))
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
    service.script(ok({ requestId: 'r', reposts: [], meta: { creditsCharged: 40 } }))
    const client = makeClient({ budget })
    const { value } = await settle(client.request(endpoint).withResponse())
    expect(value).toMatchObject({ credits: { spent: 40, uncertain: 0 }, attempts: [{ charged: 'yes' }] })
    expect(client.credits).toMatchObject({ spent: 40, uncertain: 0, reserved: 0 })
    // A budget is not asked about a free call.
    expect(budget.summary()).toMatchObject({ spent: endpoint.credits === undefined ? 0 : 40, reserved: 0 })
  })

  it('counts what the answer of a search says that it has charged, and doubts what cannot be read', async () => {
    const answer = (creditsCharged: unknown) =>
      ok({ ...page(['1']), meta: { hasMore: false, creditsCharged } })
    service.script(answer(5), answer(0), answer('3'))
    const client = makeClient({ validation: 'off' })
    const credits = []
    for (let i = 0; i < 3; i++)
      credits.push((await settle(client.microblog.search(query).withResponse())).value?.credits)
    expect(credits).toEqual([
      { spent: 5, uncertain: 0 },
      { spent: 0, uncertain: 0 },
      { spent: 0, uncertain: 2 },
    ])
  })

  it('counts no creditsCharged of a call that the service documents as free', async () => {
    service.script(ok({ requestId: 'r', meta: { creditsCharged: 40 } }))
    const client = makeClient()
    await settle(client.organization.usage())
    expect(client.credits.spent).toBe(0)
  })

  it('adds up fractions of credits exactly', async () => {
    service.script(() => ok())
    const budget = new CreditBudget(0.3)
    const client = makeClient({ budget, prices: { 'microblog.search': 0.1 } })
    for (let i = 0; i < 3; i++) expect((await settle(client.microblog.search(query))).error).toBeUndefined()
    expect([budget.remaining, client.credits.spent]).toEqual([0, 0.3])
  })

  it('client.credits adds up fractions of several operations exactly', async () => {
    service.script(
      () => ok(),
      () => ok({ requestId: 'req_2', posts: [], meta: { hasMore: false } }),
    )
    const client = makeClient({ prices: { 'microblog.search': 0.1, 'technews.search': 0.2 } })
    await settle(client.microblog.search(query))
    await settle(client.technews.search({ query: 'rust' }))
    expect(client.credits.spent).toBe(0.3)
  })

  it('is shared with the clients that withOptions() makes', async () => {
    service.script(() => ok())
    const client = makeClient()
    await settle(client.withOptions({ timeout: 5000 }).microblog.search(query))
    expect(client.credits.spent).toBe(2)
  })

  it.each([
    ['at the price of a success', {}, 2],
    ['with the credits that it names', { 'social-search-credits': 'spent=5, uncertain=0, charged=yes' }, 5],
  ])('counts what a fetch responds for a service that failed, %s', async (_, headers, spent) => {
    service.script(unreachable())
    const answer = () => ok(undefined, { headers })
    const client = makeClient({ fetch: (request) => fetch(request).catch(answer) })
    const { value } = await settle(client.microblog.search(query).withResponse())
    expect(service.arrivals).toHaveLength(1)
    expect(value?.credits).toEqual({ spent, uncertain: 0 })
    expect(value?.attempts).toMatchObject([{ charged: 'yes' }])
  })

  it('counts one attempt that may have been charged although a later one was not', async () => {
    service.script(unreachable(), failure(400, 'validation_error'))
    const { error } = await service.search({ retry: { unknown: true } })
    expect(error).toMatchObject({ status: 400, charged: 'unknown' })
  })

  it('is certain of a charge when a second attempt was charged after an uncertain one', async () => {
    service.script(unreachable(), ok({ requestId: 'req_1', posts: 'none' }))
    expect(await service.search({ retry: { unknown: true } })).toMatchObject({
      error: { name: 'InvalidResponseError', charged: 'yes' },
      ...{ spent: 2, uncertain: 2 },
    })
  })
})
