import { describe, expect, it } from 'vitest'
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

  it('gives a long integer as text in a field that the service does not document, and as a number in any other', async () => {
    const long = '1588987262754234369'
    const text = JSON.stringify(page(['1'])).replace('"author":', `"authorId":${long},"author":`)
    service.script(ok(text), ok(text.replace('"viewsCount":9', `"viewsCount":${long}`)))
    expect((await settle(search())).value?.posts).toMatchObject([{ authorId: long }])
    const viewsCount = Number(long)
    expect((await settle(search())).value?.posts).toMatchObject([{ engagements: { viewsCount } }])
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

  it('is not affected by later changes to the options', async () => {
    service.script(...threePages())
    const options = { maxPages: 2 }
    const call = search(options)
    options.maxPages = 3
    const { items } = await walk(call)
    expect(idsOf(items)).toEqual(['1', '2', '3', '4'])
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
})

describe('a walk', () => {
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
    service.arrivals.length = 0
    service.script(...threePages())
    const limited = makeClient().microblog.search({ query: 'rust' }, { limit })
    expect(idsOf((await settle(limited.toArray())).value!)).toEqual(expected)
    expect(service.arrivals).toHaveLength(requests)
  })

  it.each([0, -1, 1.5, Number.NaN, '5' as never])(
    'refuses limit = %s before anything is sent',
    async (limit) => {
      service.script(...threePages())
      const { error } = await settle(search().toArray({ limit }))
      expect(error).toMatchObject({ name: 'ConfigurationError' })
      expect((await walk(search({ limit }))).error).toMatchObject({ name: 'ConfigurationError' })
      expect((await settle(search({ limit }))).error).toMatchObject({ name: 'ConfigurationError' })
      expect(service.arrivals).toHaveLength(0)
    },
  )

  it('names toArray({ limit }) before anything is sent when neither it nor the call has a limit', async () => {
    const { error } = await settle(search().toArray({} as never))
    expect(error).toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining('toArray({ limit })'),
    })
    expect(service.arrivals).toHaveLength(0)
  })

  it('yields the whole last page when pages() reaches the limit inside it', async () => {
    service.script(...threePages())
    const { items } = await walk(search({ limit: 3 }).pages())
    expect(items.map(({ posts }) => posts.length)).toEqual([2, 2])
    expect(service.arrivals).toHaveLength(2)
  })
})
