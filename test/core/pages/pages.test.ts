import { describe, expect, it } from 'vitest'
import { settle } from '../../support/clock.ts'
import { industries, page } from '../../support/pages.ts'
import { idsOf, search, threePages } from '../../support/search.ts'
import { walk } from '../../support/walk.ts'
import { failure, makeClient, ok, virtualService } from '../../support/service.ts'

const service = virtualService()

const sent = () => service.arrivals.map(({ body }) => JSON.parse(body))
const idsIn = async (posts: AsyncIterable<{ id: string }>) => idsOf((await walk(posts)).items)

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
    expect((await settle(call)).value?.posts).toHaveLength(2)
    expect(await idsIn(call)).toEqual(['1', '2', '3', '4', '5'])
    const query = 'rust'
    expect(sent()).toEqual([{ query }, { query, cursor: 'A' }, { query, cursor: 'B' }])
  })

  it('gives a long integer as text in a field that the service does not document, and as a number in any other', async () => {
    const long = '1588987262754234369'
    const text = JSON.stringify(page(['1'])).replace('"author":', `"authorId":${long},"author":`)
    service.script(ok(text), ok(text.replace('"viewsCount":9', `"viewsCount":${long}`)))
    expect((await service.search()).value?.posts).toMatchObject([{ authorId: long }])
    const engagements = { viewsCount: Number(long) }
    expect((await service.search()).value?.posts).toMatchObject([{ engagements }])
  })

  it('ends after a page whose pageCount is an array of 20,000 levels', async () => {
    const deep = `${'['.repeat(20_000)}9${']'.repeat(20_000)}`
    const text = JSON.stringify(industries(1)).replace('"pageCount":5', `"pageCount":${deep}`)
    service.script(ok(text))
    const list = () => makeClient().professionalnet.industries.list({}, { validation: 'off' })
    expect((await settle(list())).value).toMatchObject({ next: null })
    expect((await walk(list())).error).toBeUndefined()
    expect(service.arrivals).toHaveLength(2)
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
    expect(await idsIn(call)).toEqual(['1', '2', '3', '4'])
  })

  it('returns the response, the id, the attempts and the credits with withResponse()', async () => {
    service.script(failure(502, 'upstream_error'), ok(page(['1']), { headers: { 'x-served-by': 'b' } }))
    const { value } = await settle(search().withResponse())
    const failed = { status: 502, requestId: 'req_upstream_error', outcome: 'upstream_error' }
    const attempts = [failed, { status: 200, requestId: 'req_1', outcome: 'ok' }]
    expect(value).toMatchObject({ requestId: 'req_1', credits: { spent: 2, uncertain: 0 }, attempts })
    expect(value?.attempts[0]?.waited).toBeGreaterThan(0)
    expect(value?.response.headers.get('x-served-by')).toBe('b')
    expect(await value?.response.json()).toEqual(page(['1']))
  })

  it('leaves out the headers of the compressed body with withResponse()', async () => {
    const ofBody = { 'content-encoding': 'identity', 'content-length': '5' }
    const headers = { ...ofBody, 'content-type': 'application/json' }
    const { microblog } = makeClient({ fetch: () => Promise.resolve(ok(page(['1']), { headers })) })
    const { value } = await settle(microblog.search({ query: 'a' }).withResponse())
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
    for (const read of [
      () => idsIn(search({ limit })),
      async () => idsOf((await settle(search().toArray({ limit }))).value!),
      async () => idsOf((await settle(search({ limit }).toArray({} as never))).value!),
    ]) {
      service.script(...threePages())
      service.arrivals.length = 0
      expect([await read(), service.arrivals.length]).toEqual([expected, requests])
    }
  })

  const reads: ((limit: number) => Promise<{ error: unknown }>)[] = [
    (limit) => settle(search().toArray({ limit })),
    (limit) => walk(search({ limit })),
    (limit) => settle(search({ limit })),
  ]
  it.each([0, -1, 1.5, Number.NaN, '5' as never])(
    'refuses limit = %s before anything is sent',
    async (limit) => {
      for (const read of reads)
        expect((await read(limit)).error).toMatchObject({ name: 'ConfigurationError' })
      expect(service.arrivals).toHaveLength(0)
    },
  )

  it('names toArray({ limit }) before anything is sent when neither it nor the call has a limit', async () => {
    const { error } = await settle(search().toArray({} as never))
    const message: unknown = expect.stringContaining('toArray({ limit })')
    expect(error).toMatchObject({ name: 'ConfigurationError', message })
    expect(service.arrivals).toHaveLength(0)
  })

  it('yields the whole last page when pages() reaches the limit inside it', async () => {
    service.script(...threePages())
    const { items } = await walk(search({ limit: 3 }).pages())
    expect([items.map(({ posts }) => posts.length), service.arrivals.length]).toEqual([[2, 2], 2])
  })
})
