import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { settle } from '../../support/clock.ts'
import { makeClient, ok, virtualService } from '../../support/service.ts'
import { walk } from '../../support/walk.ts'

const service = virtualService()

const requestId = 'r'
const more = { hasMore: true, nextCursor: 'A' }
const last = { hasMore: false }
const fail = () => {
  throw new Error('bug')
}
const saying = (pattern: RegExp, rest: object = {}): object => ({
  ...{ name: 'PaginationError', message: expect.stringMatching(pattern) as string },
  ...rest,
})

describe('a list whose shape is not documented', () => {
  const list = (options = {}) => makeClient().mentions.list({}, options)

  it('returns any body unchanged when awaited', async () => {
    service.script(ok({ requestId, data: { rows: [1] } }))
    expect((await settle(list())).value).toEqual({ requestId, data: { rows: [1] }, next: null })
  })

  it('keeps every digit of integers that a number cannot hold, as text', async () => {
    const long = '1588987262754234369'
    const body = `{"requestId":"r","mentions":[{"id":"men_1","authorId":${long},"age":7}],"meta":{"hasMore":true,"nextCursor":${long}}}`
    service.script(ok(body))
    const { value } = await settle(list())
    expect(value).toMatchObject({ mentions: [{ authorId: long, age: 7 }], next: { cursor: long } })
    expect(JSON.parse(JSON.stringify(value))).toMatchObject({ mentions: [{ authorId: long }] })
  })

  const rows = {
    items: (body: Record<string, unknown>) => (body['data'] as { rows: number[] }).rows,
    next: ({ after }: Record<string, unknown>) => (after === undefined ? null : { after }),
  }
  const byCursor = [more, last].map((meta, index) => ({ mentions: ['ab'[index]], meta }))
  const byPaging = [{ data: { rows: [1, 2] }, after: 2 }, { data: { rows: [3] } }]
  it.each<[string, object, object[], unknown[], string]>([
    ['the convention of the documented lists', {}, byCursor, ['a', 'b'], '?cursor=A'],
    ['the option paging if it is set', { paging: rows }, byPaging, [1, 2, 3], '?after=2'],
  ])('is walked by %s', async (_, options, bodies, items, query) => {
    service.script(...bodies.map((body) => ok({ requestId, ...body })))
    expect((await walk(list(options))).items).toEqual(items)
    expect(new URL(service.arrivals[1]!.url).search).toBe(query)
  })

  it.each<[string, object, said: RegExp, number]>([
    ['array', { data: [], total: 3 }, /expected an array under mentions, found requestId, data, total/, 0],
    ['field hasMore', { mentions: [{}], meta: { total: 3 } }, /expected meta.hasMore, found meta.total/, 1],
  ])('names the expected and the found fields when it lacks the %s of the convention', async (...row) => {
    const [, body, said, count] = row
    service.script(ok({ requestId, ...body }))
    const { items, error } = await walk(list())
    expect(items).toHaveLength(count)
    expect(error).toMatchObject(saying(said))
  })

  it('is refused unsent when its params have names of options, and sends those of extraParams', async () => {
    service.script(...[1, 2].map((n) => ok({ requestId, posts: [{ n }], meta: more })))
    const { technews, mentions, credits } = makeClient()
    const extraParams = { limit: 5, maxPages: 1 }
    const params = { query: 'rust', ...extraParams }
    const { error } = await walk(technews.search(params as object))
    expect(error).toMatchObject({
      ...{ name: 'InvalidRequestError', option: 'extraParams' },
      issues: [{ path: 'limit' }, { path: 'maxPages' }],
      message: expect.stringMatching(
        /limit is an option: pass it after the params; .*; to send it anyway, use extraParams$/,
      ) as string,
    })
    const ofMentions = await walk(mentions.list({ maxPages: 1 } as object))
    expect(ofMentions.error).toMatchObject({ code: 'invalid_request' })
    expect([service.arrivals.length, credits.spent]).toEqual([0, 0])

    const { items } = await walk(technews.search({ query: 'rust' }, { extraParams, maxPages: 2 }))
    expect(items).toHaveLength(2)
    expect(service.arrivals.map(({ body }) => JSON.parse(body))).toEqual([params, { ...params, cursor: 'A' }])
  })

  const long = `\u001b[31m${'x'.repeat(10_000)}`
  const names = Array.from({ length: 20 }, (_, index) => `field${index}`)
  it.each<[body: unknown, found: string]>([
    [Object.fromEntries(names.map((name) => [name, 1])), names.slice(0, 10).join(', ')],
    [{ [long]: 1 }, ` [31m${'x'.repeat(495)}…`],
    [{ mentions: [1], meta: { [long]: 1 } }, `meta. [31m${'x'.repeat(490)}…`],
    [[1], 'nothing'],
  ])(
    'names ten fields of a body without its list, cut and without control characters',
    async (body, found) => {
      service.script(ok(body))
      const { error } = await walk(list({ validation: 'off' }))
      expect(/found (.*); pass paging/s.exec((error as Error).message)?.[1]).toBe(found)
    },
  )

  it('returns the paid body when the option paging fails, and throws when it is walked', async () => {
    service.script(ok({ requestId, mentions: [1], meta: more }))
    for (const next of [fail, () => ({ after: 1n })]) {
      const { value } = await settle(list({ paging: { next } }))
      expect(value).toMatchObject({ mentions: [1], next: null })
    }
    const next = await walk(list({ paging: { next: fail } }))
    expect(next).toMatchObject({ items: [1], error: saying(/paging.next failed/) })
    const { error } = await walk(list({ paging: { items: fail } }))
    const said = /expected what paging.items returns, found requestId, mentions, meta/
    expect(error).toMatchObject(saying(said, { body: { mentions: [1] } }))
  })

  it('checks each record by the caller’s schema, which may be asynchronous', async () => {
    service.script(ok({ requestId, rows: [{ id: 'men_1' }], meta: last }))
    const length = z.transform(({ id }: { id: string }) => Promise.resolve(id.length))
    const schema = z.pipe(z.object({ id: z.string() }), length)
    expect((await walk(list({ schema, paging: { items: 'rows' } }))).items).toEqual([5])
  })

  it('refuses a response without records for the schema, and keeps it', async () => {
    const body = { requestId, data: [] }
    service.script(ok(body))
    expect((await settle(list({ schema: z.any() }))).error).toMatchObject({
      name: 'InvalidResponseError',
      body,
    })
  })
})

it('a call without pages is sent once, at once, and returns the output of the schema', async () => {
  service.script(ok({ requestId, name: 'Acme' }))
  const name = z.transform((body: { name: string }) => body.name)
  const call = makeClient().organization.context({}, { schema: z.pipe(z.object({ name: z.string() }), name) })
  expect((await settle(Promise.all([call, call]))).value).toEqual(['Acme', 'Acme'])
  const { value } = await settle(call.withResponse())
  expect(value).toMatchObject({ data: 'Acme', requestId, credits: { spent: 0, uncertain: 0 } })
  expect(service.arrivals).toHaveLength(1)
})
