import { describe, expect, it } from 'vitest'
import { type MicroblogSearchParams } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { search, threePages } from '../../support/search.ts'
import { walk } from '../../support/walk.ts'
import { scriptedService } from '../../support/service.ts'

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

  it('are copied when they are a Proxy, as state libraries make them', async () => {
    const state = new Proxy({ query: 'rust' }, {})
    service.script(...threePages())
    const call = search({}, state)
    state.query = 'go'
    await walk(call)
    expect(sent().map(({ query }) => query)).toEqual(['rust', 'rust', 'rust'])
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
