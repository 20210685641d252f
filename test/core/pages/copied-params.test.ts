import { describe, expect, it } from 'vitest'
import { CreditBudget, type MicroblogSearchParams } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { search, threePages } from '../../support/search.ts'
import { walk } from '../../support/walk.ts'
import { failure, makeClient, ok, scriptedService } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

const sent = () => service.arrivals.map(({ body }) => JSON.parse(body))

describe('params and pages', () => {
  it('are independent of each other when next is changed by the caller', async () => {
    service.script(...threePages())
    const params: MicroblogSearchParams = { query: 'rust', filters: { hashtags: ['a'] } }
    const meddle = async () => {
      for await (const { next } of search({}, params).pages()) {
        if (next?.filters) next.filters.hashtags = ['changed']
      }
    }
    await settle(meddle())
    expect(sent().map(({ filters }) => filters.hashtags)).toEqual([['a'], ['a'], ['a']])
  })

  it('are independent of each other when the caller changes next of an error', async () => {
    service.script(failure(400, 'validation_error'), ok())
    const call = search({}, { query: 'rust' })
    const { error } = await settle(call.toArray({ limit: 1 }))
    ;(error as { next: MicroblogSearchParams }).next.query = 'go'
    const resumed = call.resume({ next: { query: 'rust', cursor: 'c' } })
    expect((await settle(resumed.toArray({ limit: 1 }))).error).toBeUndefined()
    expect(sent().map(({ query }) => query)).toEqual(['rust', 'rust'])
  })

  it('are copied when they are a Proxy, as state libraries make them', async () => {
    const state = new Proxy({ query: 'rust' }, {})
    service.script(...threePages())
    const call = search({}, state)
    state.query = 'go'
    await walk(call)
    expect(sent().map(({ query }) => query)).toEqual(['rust', 'rust', 'rust'])
  })

  it('are checked, priced and sent as one copy when a getter changes or toJSON() says something else', async () => {
    service.script(
      ok({ requestId: 'req_1', comments: [], meta: { returnedCount: 0, total: 0, creditsCharged: 0 } }),
    )
    let reads = 0
    const changing = {
      postUrl: 'https://network.example/post',
      get maxComments() {
        return ++reads === 1 ? 100 : 1000
      },
    }
    const client = makeClient({ budget: new CreditBudget(150) })
    await settle(client.professionalnet.posts.comments(changing))
    expect(sent()).toEqual([{ postUrl: changing.postUrl, maxComments: 100 }])
    class Params {
      postUrl = changing.postUrl
      maxComments = 100
      toJSON() {
        return { postUrl: this.postUrl, maxComments: 1000 }
      }
    }
    const { error } = await settle(client.professionalnet.posts.comments(new Params()))
    expect(error).toMatchObject({ name: 'CreditBudgetError', budget: { needed: 1000 } })
    expect(sent()).toHaveLength(1)
  })

  it.each([
    ['inherits them', Object.create({ query: 'rust' })],
    [
      'has them as getters of its class',
      new (class {
        get query() {
          return 'rust'
        }
      })(),
    ],
  ])(
    'are refused as missing when an object %s: JSON leaves them out',
    async (_, params: MicroblogSearchParams) => {
      const { error } = await settle(search({}, params))
      expect(error).toMatchObject({ issues: [{ path: 'query', message: 'is required' }] })
      expect(sent()).toEqual([])
    },
  )

  it('are refused when they are a Map, of which JSON keeps nothing', async () => {
    const { error } = await settle(makeClient().technews.search(new Map([['query', 'rust']]) as never))
    expect(error).toMatchObject({ name: 'InvalidRequestError' })
    expect(sent()).toEqual([])
  })

  it.each([
    ['a function', { query: 'rust', sort: () => {} }],
    ['a number that JSON lacks', { query: 'rust', page: NaN }],
  ])('are refused when undocumented ones contain %s', async (_, params) => {
    const { error } = await settle(makeClient().technews.search(params))
    expect(error).toMatchObject({ issues: [{ path: '', message: 'cannot be written as JSON' }] })
    expect(sent()).toEqual([])
  })

  it.each([
    ['a BigInt', { query: 'rust', count: 5n }],
    ['a function', { query: 'rust', filters: () => {} }],
    [
      'a circle',
      (() => {
        const params: Record<string, unknown> = { query: 'rust' }
        params['filters'] = params
        return params
      })(),
    ],
  ])('are refused with a typed error, awaited or walked, when they contain %s', async (_, params) => {
    const bad = params as unknown as MicroblogSearchParams
    expect((await settle(search({}, bad))).error).toMatchObject({ name: 'InvalidRequestError' })
    expect((await walk(search({}, bad))).error).toMatchObject({ name: 'InvalidRequestError' })
    expect((await walk(search({}, bad).pages())).error).toMatchObject({ name: 'InvalidRequestError' })
    expect(service.arrivals).toHaveLength(0)
  })
})
