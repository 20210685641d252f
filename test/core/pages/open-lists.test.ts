import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { type InvalidRequestError, PaginationError } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { makeClient, ok, scriptedService } from '../../support/service.ts'
import { walk } from '../../support/walk.ts'

const service = scriptedService()
virtualTime()

describe('a list whose shape is not documented', () => {
  const list = (options = {}) => makeClient().mentions.list({}, options)

  it('returns any body unchanged when awaited', async () => {
    service.script(ok({ requestId: 'r', data: { rows: [1] } }))
    expect((await settle(list())).value).toEqual({ requestId: 'r', data: { rows: [1] }, next: null })
  })

  it('keeps every digit of integers that a number cannot hold, as text', async () => {
    const long = '1588987262754234369'
    const body = `{"requestId":"r","mentions":[{"id":"men_1","authorId":${long},"age":7}],"meta":{"hasMore":true,"nextCursor":${long}}}`
    service.script(ok(body))
    const { value } = await settle(list())
    expect(value).toMatchObject({ mentions: [{ authorId: long, age: 7 }], next: { cursor: long } })
    expect(JSON.parse(JSON.stringify(value))).toMatchObject({ mentions: [{ authorId: long }] })
  })

  it('is walked by the convention of the documented lists', async () => {
    service.script(
      ok({ requestId: 'r', mentions: [{ id: 'men_1' }], meta: { hasMore: true, nextCursor: 'A' } }),
      ok({ requestId: 'r', mentions: [{ id: 'men_2' }], meta: { hasMore: false } }),
    )
    expect((await walk(list())).items).toEqual([{ id: 'men_1' }, { id: 'men_2' }])
    expect(new URL(service.arrivals[1]!.url).search).toBe('?cursor=A')
  })

  it('names the expected and the found fields when the convention does not fit', async () => {
    service.script(ok({ requestId: 'r', data: [], total: 3 }))
    const { error } = await walk(list())
    expect(error).toBeInstanceOf(PaginationError)
    expect((error as Error).message).toMatch(/expected an array under mentions, found requestId, data, total/)
    service.script(ok({ requestId: 'r', mentions: [{}], meta: { total: 3 } }))
    const { items, error: second } = await walk(list())
    expect(items).toHaveLength(1)
    expect((second as Error).message).toMatch(/expected meta.hasMore, found meta.total/)
  })

  it('is walked by the option paging if it is set', async () => {
    service.script(
      ok({ requestId: 'r', data: { rows: [1, 2] }, after: 2 }),
      ok({ requestId: 'r', data: { rows: [3] } }),
    )
    const paging = {
      items: (body: Record<string, unknown>) => (body['data'] as { rows: number[] }).rows,
      next: (body: Record<string, unknown>) =>
        body['after'] === undefined ? null : { after: body['after'] },
    }
    expect((await walk(list({ paging }))).items).toEqual([1, 2, 3])
    expect(new URL(service.arrivals[1]!.url).search).toBe('?after=2')
  })

  it('is refused unsent when its params have names of options, and sends those of extraParams', async () => {
    const meta = { hasMore: true, nextCursor: 'A' }
    service.script(...[1, 2].map((n) => ok({ requestId: 'r', posts: [{ n }], meta })))
    const { technews, mentions, credits } = makeClient()
    const extraParams = { limit: 5, maxPages: 1 }
    const params = { query: 'rust', ...extraParams }
    const { error } = await walk(technews.search(params as object))
    expect(error).toMatchObject({
      name: 'InvalidRequestError',
      issues: [{ path: 'limit' }, { path: 'maxPages' }],
    })
    expect((error as Error).message).toMatch(
      /limit is an option: pass it after the params; .*; to send it anyway, use extraParams$/,
    )
    expect((error as InvalidRequestError).option).toBe('extraParams')
    expect((await walk(mentions.list({ maxPages: 1 } as object))).error).toMatchObject({
      code: 'invalid_request',
    })
    expect([service.arrivals.length, credits.spent]).toEqual([0, 0])

    const { items } = await walk(technews.search({ query: 'rust' }, { extraParams, maxPages: 2 }))
    expect(items).toHaveLength(2)
    expect(service.arrivals.map(({ body }) => JSON.parse(body))).toEqual([params, { ...params, cursor: 'A' }])
  })

  it('names ten fields of a body without its list, cut and without control characters', async () => {
    const found = async (body: unknown) => {
      service.script(ok(body))
      const { error } = await walk(list({ validation: 'off' }))
      return /found (.*); pass paging/s.exec((error as PaginationError).message)?.[1]
    }
    const names = Array.from({ length: 20 }, (_, index) => `field${index}`)
    expect(await found(Object.fromEntries(names.map((name) => [name, 1])))).toBe(
      names.slice(0, 10).join(', '),
    )
    const long = `\u001b[31m${'x'.repeat(10_000)}`
    expect(await found({ [long]: 1 })).toBe(` [31m${'x'.repeat(495)}…`)
    expect(await found({ mentions: [1], meta: { [long]: 1 } })).toBe(`meta. [31m${'x'.repeat(490)}…`)
    expect(await found([1])).toBe('nothing')
  })

  it('returns the paid body when the option paging fails, and throws when it is walked', async () => {
    const bug = () => {
      throw new Error('bug')
    }
    service.script(ok({ requestId: 'r', mentions: [1], meta: { hasMore: true, nextCursor: 'A' } }))
    expect((await settle(list({ paging: { next: bug } }))).value).toMatchObject({ mentions: [1], next: null })
    const next = await walk(list({ paging: { next: bug } }))
    expect(next.items).toEqual([1])
    expect((next.error as Error).message).toMatch(/paging.next failed/)
    const big = () => ({ after: 1n })
    expect((await settle(list({ paging: { next: big } }))).value).toMatchObject({ mentions: [1], next: null })
    const { error } = await walk(list({ paging: { items: bug } }))
    expect((error as Error).message).toMatch(
      /expected what paging.items returns, found requestId, mentions, meta/,
    )
    expect((error as PaginationError).body).toMatchObject({ mentions: [1] })
  })

  it('checks each record by the caller’s schema, which may be asynchronous', async () => {
    service.script(ok({ requestId: 'r', rows: [{ id: 'men_1' }], meta: { hasMore: false } }))
    const schema = z.pipe(
      z.object({ id: z.string() }),
      z.transform(({ id }) => Promise.resolve(id.length)),
    )
    const call = makeClient().mentions.list({}, { schema, paging: { items: 'rows' } })
    expect((await walk(call)).items).toEqual([5])
  })

  it('refuses a response without records for the schema, and keeps it', async () => {
    service.script(ok({ requestId: 'r', data: [] }))
    const { error } = await settle(list({ schema: z.any() }))
    expect(error).toMatchObject({ name: 'InvalidResponseError', body: { requestId: 'r', data: [] } })
  })
})

describe('a call without pages', () => {
  it('is sent once, at once, and returns the output of the schema', async () => {
    service.script(ok({ requestId: 'r', name: 'Acme' }))
    const schema = z.pipe(
      z.object({ name: z.string() }),
      z.transform(({ name }) => name),
    )
    const call = makeClient().organization.context({}, { schema })
    expect((await settle(Promise.all([call, call]))).value).toEqual(['Acme', 'Acme'])
    const { value } = await settle(call.withResponse())
    expect(value).toMatchObject({ data: 'Acme', requestId: 'r', credits: { spent: 0, uncertain: 0 } })
    expect(service.arrivals).toHaveLength(1)
  })
})
