import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { clientTransport } from '../../../src/core/call/transport.ts'
import { organizationUsage } from '../../../src/api/endpoints/organization.ts'
import { createTransport } from '../../../src/index.ts'
import { abortIn, settle } from '../../support/clock.ts'
import { page, post } from '../../support/pages.ts'
import { idsOf, search } from '../../support/search.ts'
import { apiKey, baseUrl, hang, makeClient, ok, paid, virtualService } from '../../support/service.ts'

const service = virtualService()

describe('validation', () => {
  const broken = { ...post('2'), author: null }
  const mixed = { ...page(['1', '3']), posts: [post('1'), broken, post('3')] }

  it('lenient keeps the valid items and reports the others', async () => {
    const { value } = await service.script(ok(mixed)).search({ validation: 'lenient' })
    expect(idsOf(value!.posts)).toEqual(['1', '3'])
    const issues = [{ path: 'author', message: 'must be a string, got null' }]
    expect(value?.invalid).toEqual([{ index: 1, item: broken, issues }])
  })

  it('lenient continues after pages with only invalid items when the reader empties invalid', async () => {
    const bad = (cursor: string) => ok({ ...page(['x'], cursor), posts: [{ ...broken, id: cursor }] })
    service.script(bad('A'), bad('B'), bad('C'), ok(page(['1'])))
    let pages = 0
    const read = async () => {
      for await (const { invalid } of search({ validation: 'lenient' }).pages())
        pages += invalid!.splice(0).length
    }
    await settle(read())
    expect([pages, service.arrivals.length]).toEqual([3, 4])
  })

  it('lenient reports no invalid items when a list is not found, and has no list of them without one', async () => {
    service.script(ok({ requestId: 'r', rows: [] }))
    const { value } = await service.see(({ mentions }) => mentions.list(), { validation: 'lenient' })
    expect(value?.invalid).toEqual([])
    const transport = clientTransport(createTransport({ baseUrl, apiKey, validation: 'lenient' }))
    expect((await settle(transport.request(organizationUsage, {}))).value?.invalid).toBeNull()
  })

  it('refuses a part of a page, also if it has a long integer', async () => {
    const text = JSON.stringify(page(['1'])).replace('{', '{"long":12345678901234567890,')
    service.script(new Response(text, { status: 206 }))
    expect((await service.search()).error).toMatchObject({ name: 'InvalidResponseError', body: text })
  })

  it('lenient refuses a page with more than 10,000 invalid items, and keeps it', async () => {
    const posts = new Array<number>(10_001).fill(1)
    const last = { ...page([]), posts: posts.slice(1) }
    service.script(ok({ ...page([]), posts }), ok(last))
    const { error } = await service.search({ validation: 'lenient' })
    const message: unknown = expect.stringContaining('not of the documented shape: posts.0 must be an object')
    expect(error).toMatchObject({ name: 'InvalidResponseError', charged: 'yes', message, body: { posts } })
    expect((await service.search({ validation: 'lenient' })).value?.invalid).toHaveLength(10_000)
  })

  it.each(['[1]', '"abc"', '5', 'null', JSON.stringify(mixed)])('off returns the body %s', async (body) => {
    const { value } = await service.script(ok(body)).search({ validation: 'off' })
    expect(value).toEqual(body.startsWith('{') ? { ...mixed, next: null } : JSON.parse(body))
  })
})

describe('schema', () => {
  const standard = (validate: () => unknown): object => ({
    schema: { '~standard': { version: 1, vendor: 'test', validate } },
  })

  const id = z.string()
  it.each([
    ['posts.1.id', z.looseObject({ id: id.check(z.regex(/1/, 'is not one')) }), 'id'],
    ['posts.1', z.looseObject({ id }).check(z.refine((post) => post.id === '1', 'is not one')), ''],
  ])(
    'refuses the page at %s when a post is invalid, or reports the post when lenient',
    async (path, schema, own) => {
      service.script(ok(page(['1', '2'])))
      const message = 'is not one'
      expect((await settle(search({ schema }))).error).toMatchObject({ issues: [{ path, message }] })
      const { value } = await settle(search({ schema, validation: 'lenient' }))
      const invalid = [{ index: 1, issues: [{ path: own, message }] }]
      expect(value).toMatchObject({ posts: [{ id: '1' }], invalid })
    },
  )

  it.each<[name: string, validate: () => unknown]>([
    ['undefined', () => undefined],
    ['null', () => null],
    ['issues that are text', () => ({ issues: 'bad' })],
    ['an issue that is null', () => ({ issues: [null] })],
    ['an issue without a message', () => ({ issues: [{}] })],
    ['a path of null', () => ({ issues: [{ message: 'm', path: [null] }] })],
    ['a rejected promise', () => Promise.reject(new Error('bug'))],
  ])('keeps the paid page on the error when the schema returns %s', async (_, validate) => {
    service.script(ok(page(['1'])))
    const message: unknown = expect.stringContaining('does not fit your schema')
    const error = { name: 'InvalidResponseError', message, body: page(['1']) }
    expect(await service.search({}, standard(validate))).toMatchObject({ error, ...paid })
  })

  const kept = { charged: 'yes', body: page(['1']) }
  it.each<[string, object, () => object, unknown]>([
    ['at the deadline of its call', { deadline: 500 }, () => ({}), { name: 'InvalidResponseError', ...kept }],
    ['when its call is aborted', {}, () => ({ signal: abortIn(500, 'the user left') }), 'the user left'],
  ])('that hangs ends %s, and counts the paid response', async (_, client, options, error) => {
    service.script(ok(page(['1'])))
    const seen = await service.search(client, { ...standard(hang), ...options() })
    expect(seen).toMatchObject({ error, ms: 500, ...paid })
  })

  it('does not hide the charge of a paid response when the client closes', async () => {
    service.script(ok(page(['1'])))
    const client = makeClient()
    setTimeout(() => void client.close(), 500)
    const error = { name: 'ClosedError', attempts: [{ charged: 'yes' }], ...kept }
    expect(await service.search(client, standard(hang))).toMatchObject({ error })
  })
})
