import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  CreditBudget,
  type MicroblogSearchParams,
  PaginationError,
  type SocialSearchError,
} from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { page } from '../../support/pages.ts'
import { idsOf, search, threePages } from '../../support/search.ts'
import { walk } from '../../support/walk.ts'
import { failure, makeClient, ok, scriptedService } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

const sent = () => service.arrivals.map(({ body }) => JSON.parse(body))

describe('search()', () => {
  it('sends nothing unless it is awaited or iterated', async () => {
    service.script(...threePages())
    search()
    await settle(Promise.resolve())
    expect(service.arrivals).toHaveLength(0)
  })

  it('sends page one once when the call is awaited and then iterated', async () => {
    service.script(...threePages())
    const call = search()
    const { value: first } = await settle(call)
    const { items } = await walk(call)
    expect(first?.posts).toHaveLength(2)
    expect(idsOf(items)).toEqual(['1', '2', '3', '4', '5'])
    expect(sent()).toEqual([
      { query: 'rust' },
      { query: 'rust', cursor: 'A' },
      { query: 'rust', cursor: 'B' },
    ])
  })

  it('sends page one once when it is awaited many times at once', async () => {
    service.script(...threePages())
    const call = search()
    const { value } = await settle(Promise.all([call, call, call.withResponse(), call.pages().next()]))
    expect(value?.[0]).toBe(value?.[1])
    expect(service.arrivals).toHaveLength(1)
  })

  it('returns the unchanged body, with the params of the next page', async () => {
    const body = { ...page(['1'], 'A'), undocumented: { kept: true } }
    service.script(ok(body))
    const { value } = await settle(search({}, { query: 'rust', count: 5 }))
    expect(value).toEqual({ ...body, next: { query: 'rust', count: 5, cursor: 'A' } })
  })

  it('continues exactly where it stopped when next was stored as JSON', async () => {
    service.script(...threePages())
    const client = makeClient()
    const { value: first } = await settle(client.microblog.search({ query: 'rust' }))
    const next = JSON.parse(JSON.stringify(first?.next)) as MicroblogSearchParams
    const { items } = await walk(client.microblog.search(next))
    expect(idsOf(items)).toEqual(['3', '4', '5'])
  })

  it('is not affected by later changes to the params', async () => {
    service.script(...threePages())
    const params = { query: 'rust' }
    const call = search({}, params)
    params.query = 'go'
    await walk(call)
    expect(sent().map(({ query }) => query)).toEqual(['rust', 'rust', 'rust'])
  })

  it('is not affected by later changes to the options', async () => {
    service.script(...threePages())
    const options = { maxPages: 2 }
    const call = search(options)
    options.maxPages = 3
    const { items } = await walk(call)
    expect(idsOf(items)).toEqual(['1', '2', '3', '4'])
  })

  it('has no next when hasMore is false, even with a cursor', async () => {
    const body = page(['1'], 'A')
    service.script(ok({ ...body, meta: { returnedCount: 1, hasMore: false, nextCursor: 'A' } }))
    const call = search()
    expect((await settle(call)).value?.next).toBeNull()
    await walk(call)
    expect(service.arrivals).toHaveLength(1)
  })

  it('returns the response, the id, the attempts and the credits with withResponse()', async () => {
    service.script(failure(502, 'upstream_error'), ok(page(['1']), { headers: { 'x-served-by': 'b' } }))
    const { value } = await settle(search().withResponse())
    expect(value).toMatchObject({ requestId: 'req_1', credits: { spent: 2, uncertain: 0 } })
    expect(value?.attempts.map(({ status, requestId, outcome }) => [status, requestId, outcome])).toEqual([
      [502, 'req_upstream_error', 'upstream_error'],
      [200, 'req_1', 'ok'],
    ])
    expect(value?.attempts[0]?.waited).toBeGreaterThan(0)
    expect(value?.response.headers.get('x-served-by')).toBe('b')
    expect(await value?.response.json()).toEqual(page(['1']))
  })

  it('leaves out the headers of the compressed body with withResponse()', async () => {
    const headers = {
      'content-encoding': 'identity',
      'content-length': '5',
      'content-type': 'application/json',
    }
    const fetch = () => Promise.resolve(ok(page(['1']), { headers }))
    const { value } = await settle(makeClient({ fetch }).microblog.search({ query: 'rust' }).withResponse())
    expect([...value!.response.headers.keys()]).toEqual(['content-type'])
  })

  it('names itself PagedCall, and a call without pages ApiCall, when it is printed', () => {
    const usage = makeClient({ fetch: () => new Promise(() => {}) }).organization.usage()
    expect([inspect(search()), inspect(usage)]).toEqual([
      'PagedCall { microblog.search, not sent }',
      'ApiCall {}',
    ])
  })
})

describe('a walk', () => {
  it('buys no further page when the consumer breaks', async () => {
    service.script(...threePages())
    await settle(
      (async () => {
        for await (const item of search()) if (item.id === '2') break
      })(),
    )
    expect(service.arrivals).toHaveLength(1)
  })

  it.each([
    [1, ['1'], 1],
    [2, ['1', '2'], 1],
    [3, ['1', '2', '3'], 2],
    [9, ['1', '2', '3', '4', '5'], 3],
  ])('yields at most limit = %i items and buys no page beyond them', async (limit, expected, requests) => {
    service.script(...threePages())
    expect(idsOf((await walk(search({ limit }))).items)).toEqual(expected)
    expect(service.arrivals).toHaveLength(requests)
    service.arrivals.length = 0
    service.script(...threePages())
    expect(idsOf((await settle(search().toArray({ limit }))).value!)).toEqual(expected)
    expect(service.arrivals).toHaveLength(requests)
  })

  it('buys at most maxPages pages', async () => {
    service.script(...threePages())
    const { items } = await walk(search({ maxPages: 2 }).pages())
    expect(items).toHaveLength(2)
    expect(items[1]?.next).toEqual({ query: 'rust', cursor: 'B' })
    expect(service.arrivals).toHaveLength(2)
  })

  it.each([0, -1, 1.5, Number.NaN, '5' as never])(
    'refuses limit = %s before anything is sent',
    async (limit) => {
      service.script(...threePages())
      const { error } = await settle(search().toArray({ limit }))
      expect(error).toMatchObject({ name: 'ConfigurationError' })
      expect((await walk(search({ limit }))).error).toMatchObject({ name: 'ConfigurationError' })
      expect((await settle(search({ limit }))).error).toMatchObject({ name: 'ConfigurationError' })
      expect((await settle((search().toArray as () => Promise<unknown>).call(search()))).error).toMatchObject(
        {
          name: 'ConfigurationError',
        },
      )
      expect(service.arrivals).toHaveLength(0)
    },
  )

  it.each([
    ['the same cursor comes again', ['A', 'A']],
    ['cursors are circular', ['A', 'B', 'A']],
  ])('throws before the next paid call when %s', async (_, cursors) => {
    service.script(...cursors.map((cursor, i) => ok(page([String(i)], cursor))))
    const { items, error } = await walk(search())
    expect(items).toHaveLength(cursors.length)
    expect(error).toBeInstanceOf(PaginationError)
    expect((error as PaginationError).next).toEqual({ query: 'rust', cursor: 'A' })
    expect(service.arrivals).toHaveLength(cursors.length)
  })

  it('throws before it buys its first page again', async () => {
    service.script(ok(page(['1'], 'B')), ok(page(['2'], 'A')))
    const { items, error } = await walk(search({}, { query: 'rust', cursor: 'A' }))
    expect(items).toHaveLength(2)
    expect(error).toBeInstanceOf(PaginationError)
    expect(service.arrivals).toHaveLength(2)
  })

  it('yields the whole last page when pages() reaches the limit inside it', async () => {
    service.script(...threePages())
    const { items } = await walk(search({ limit: 3 }).pages())
    expect(items.map(({ posts }) => posts.length)).toEqual([2, 2])
    expect(service.arrivals).toHaveLength(2)
  })

  it('treats an empty cursor as missing', async () => {
    service.script(ok({ ...page(['1']), meta: { returnedCount: 1, hasMore: true, nextCursor: '' } }))
    expect((await walk(search())).error).toMatchObject({ name: 'PaginationError', next: null })
  })

  it('yields the items, then throws when hasMore is true without a cursor', async () => {
    service.script(ok({ ...page(['1']), meta: { returnedCount: 1, hasMore: true } }))
    const { items, error } = await walk(search())
    expect(idsOf(items)).toEqual(['1'])
    expect(error).toMatchObject({ name: 'PaginationError', next: null })
  })

  it('ends after three empty pages in a row', async () => {
    service.script(
      ok(page([], 'A')),
      ok(page([], 'B')),
      ok(page(['1'], 'C')),
      ok(page([], 'D')),
      ok(page([], 'E')),
      ok(page([], 'F')),
      ok(page(['never'], 'G')),
    )
    const { items, error } = await walk(search())
    expect(idsOf(items)).toEqual(['1'])
    expect(error).toBeUndefined()
    expect(service.arrivals).toHaveLength(6)
  })

  it('delivers the pages before a failure, and names the failed one in next', async () => {
    service.script(ok(page(['1'], 'A')), ok(page(['2'], 'B')), failure(500, 'internal'))
    const client = makeClient()
    const { items, error } = await walk(client.microblog.search({ query: 'rust' }))
    expect(idsOf(items)).toEqual(['1', '2'])
    expect((error as SocialSearchError).next).toEqual({ query: 'rust', cursor: 'B' })
    service.script(ok(page(['3'])))
    const resumed = await walk(client.microblog.search((error as { next: MicroblogSearchParams }).next))
    expect(idsOf(resumed.items)).toEqual(['3'])
  })

  it('refuses a cursor that is too long for the service', async () => {
    service.script(ok(page(['1'], 'x'.repeat(1025))))
    const { items, error } = await walk(search())
    expect(idsOf(items)).toEqual(['1'])
    expect(error).toMatchObject({ name: 'InvalidRequestError', issues: [{ path: 'cursor' }] })
    expect(service.arrivals).toHaveLength(1)
  })

  it('stops before it exceeds a budget, and can be resumed', async () => {
    service.script(...threePages())
    const budget = new CreditBudget(5)
    const { items, error } = await walk(search({ budget }))
    expect(idsOf(items)).toEqual(['1', '2', '3', '4'])
    expect(error).toMatchObject({ name: 'CreditBudgetError', needed: 2, remaining: 1, next: { cursor: 'B' } })
    expect(service.arrivals).toHaveLength(2)
  })
})
