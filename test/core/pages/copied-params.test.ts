import { describe, expect, it, vi } from 'vitest'
import { CreditBudget, type MicroblogSearchParams } from '../../../src/index.ts'
import { copyOf } from '../../../src/core/call/compose-request.ts'
import { settle } from '../../support/clock.ts'
import { comments } from '../../support/pages.ts'
import { search, threePages } from '../../support/search.ts'
import { walk } from '../../support/walk.ts'
import { failure, makeClient, ok, virtualService } from '../../support/service.ts'

const service = virtualService()

const sent = () => service.arrivals.map(({ body }) => JSON.parse(body))
const queries = () => sent().map(({ query }) => query)

it('copyOf() makes no texts of the places in a list', () => {
  const [keys, entries] = [vi.spyOn(Object, 'keys'), vi.spyOn(Object, 'entries')]
  const value = { list: [1, [2, { a: 3 }]] }
  const copy = copyOf(value)
  const listed = [...keys.mock.calls, ...entries.mock.calls].flat()
  vi.restoreAllMocks()
  expect([copy, listed.filter(Array.isArray)]).toEqual([value, []])
  expect(copy.list[1]).not.toBe(value.list[1])
})

describe('params and pages', () => {
  it('are independent of each other when next is changed by the caller', async () => {
    service.script(...threePages())
    const params: MicroblogSearchParams = { query: 'rust', filters: { hashtags: ['a'] } }
    const meddle = async () => {
      for await (const { next } of search({}, params).pages())
        if (next?.filters) next.filters.hashtags = ['changed']
    }
    await settle(meddle())
    expect(sent().map(({ filters }) => filters.hashtags)).toEqual([['a'], ['a'], ['a']])
  })

  it('are independent of each other when the caller changes next of an error', async () => {
    service.script(failure(400, 'validation_error'), ok())
    const call = search({}, { query: 'rust' })
    const { error } = await settle(call.toArray({ limit: 1 }))
    ;(error as { next: MicroblogSearchParams }).next.query = 'go'
    await settle(call.resume({ next: { query: 'rust', cursor: 'c' } }).toArray({ limit: 1 }))
    expect(queries()).toEqual(['rust', 'rust'])
  })

  it('are copied when they are a Proxy, as state libraries make them', async () => {
    const state = new Proxy({ query: 'rust' }, {})
    service.script(...threePages())
    const call = search({}, state)
    state.query = 'go'
    await walk(call)
    expect(queries()).toEqual(['rust', 'rust', 'rust'])
  })

  it('are checked, priced and sent as one copy when a getter changes or toJSON() says something else', async () => {
    const postUrl = 'https://network.example/post'
    const reads = [100]
    const get = () => reads.pop() ?? 1000
    const changing = Object.defineProperty({ postUrl }, 'maxComments', { get, enumerable: true })
    const client = makeClient({ budget: new CreditBudget(150) })
    const ask = (params: { postUrl: string }) =>
      service.see(({ professionalnet }) => professionalnet.posts.comments(params), client)
    service.script(ok(comments(0, 0)))
    expect((await ask(changing)).bodies).toEqual([{ postUrl, maxComments: 100 }])
    const more = { postUrl, maxComments: 100, toJSON: () => ({ postUrl, maxComments: 1000 }) }
    const error = { name: 'CreditBudgetError', budget: { needed: 1000 } }
    expect(await ask(more)).toMatchObject({ error, sent: 1 })
  })

  class WithGetter {
    get query() {
      return 'rust'
    }
  }
  const missing = [{ path: 'query', message: 'is required' }]
  const unwritten = [{ path: '', message: 'cannot be written as JSON' }]
  const circle: Record<string, unknown> = { query: 'rust' }
  circle['filters'] = circle

  it.each<[string, unknown, object?]>([
    ['which JSON leaves out: an object inherits them', Object.create({ query: 'rust' }), { issues: missing }],
    ['which JSON leaves out: they are getters of a class', new WithGetter(), { issues: missing }],
    ['which contain a BigInt', { query: 'rust', count: 5n }],
    ['which contain a function', { query: 'rust', filters: () => {} }],
    ['which contain a circle', circle],
  ])('are refused with a typed error, awaited or walked, %s', async (_, params, more) => {
    const call = () => search({}, params as MicroblogSearchParams)
    for (const { error } of [await settle(call()), await walk(call()), await walk(call().pages())])
      expect(error).toMatchObject({ name: 'InvalidRequestError', ...more })
    expect(sent()).toEqual([])
  })

  it.each<[string, unknown, object?]>([
    ['a Map, of which JSON keeps nothing', new Map([['query', 'rust']])],
    ['with a function', { query: 'rust', sort: () => {} }, { issues: unwritten }],
    ['with a number that JSON lacks', { query: 'rust', page: NaN }, { issues: unwritten }],
    ['with an invalid date', { query: 'rust', from: new Date('yesterday') }],
  ])('are refused when undocumented ones are %s', async (_, params, more) => {
    const error = { name: 'InvalidRequestError', charged: 'no', ...more }
    const seen = await service.see(({ technews }) => technews.search(params as object))
    expect(seen).toMatchObject({ error, sent: 0 })
  })
})
