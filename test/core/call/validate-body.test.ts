import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { clientTransport } from '../../../src/core/call/transport.ts'
import { organizationUsage } from '../../../src/api/endpoints/organization.ts'
import { type InvalidResponseError, createTransport } from '../../../src/index.ts'
import { abortIn, settle, virtualTime } from '../../support/clock.ts'
import { page, post } from '../../support/pages.ts'
import { idsOf, search, threePages } from '../../support/search.ts'
import { walk } from '../../support/walk.ts'
import { apiKey, baseUrl, hang, makeClient, ok, paid, scriptedService } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

describe('validation', () => {
  const broken = { ...post('2'), author: null }
  const mixed = { ...page(['1', '3']), posts: [post('1'), broken, post('3')] }

  it('lenient keeps the valid items and reports the others', async () => {
    service.script(ok(mixed))
    const { value } = await settle(search({ validation: 'lenient' }))
    expect(idsOf(value!.posts)).toEqual(['1', '3'])
    expect(value?.invalid).toEqual([
      { index: 1, item: broken, issues: [{ path: 'author', message: 'must be a string, got null' }] },
    ])
  })

  it('lenient continues after pages with only invalid items when the reader empties invalid', async () => {
    const bad = (cursor: string) => ok({ ...page(['x'], cursor), posts: [broken] })
    service.script(bad('A'), bad('B'), bad('C'), ok(page(['1'])))
    const read = async (): Promise<number> => {
      let pages = 0
      for await (const { invalid } of search({ validation: 'lenient' }).pages()) {
        pages++
        invalid?.splice(0)
      }
      return pages
    }
    expect((await settle(read())).value).toBe(4)
  })

  it('lenient reports no invalid items when a list is not found', async () => {
    service.script(ok({ requestId: 'r', rows: [] }))
    const { value } = await settle(makeClient({ validation: 'lenient' }).mentions.list())
    expect(value?.invalid).toEqual([])
  })

  it('lenient gives no list of invalid items when the operation has no list', async () => {
    service.script(ok({ requestId: 'r' }))
    const transport = clientTransport(createTransport({ baseUrl, apiKey, validation: 'lenient' }))
    const { value } = await settle(transport.request(organizationUsage, {}))
    expect(value?.invalid).toBeNull()
  })

  it.each(['[1]', '"abc"', '5', 'null'])('off returns the body %s unchanged', async (body) => {
    service.script(ok(body))
    const { value } = await settle(search({ validation: 'off' }))
    expect(value).toEqual(JSON.parse(body))
  })

  it('off returns any body', async () => {
    service.script(ok(mixed))
    const { value } = await settle(search({ validation: 'off' }))
    expect(value?.posts).toHaveLength(3)
    expect(value).not.toHaveProperty('invalid')
  })
})

describe('schema', () => {
  const schema = z.pipe(
    z.looseObject({ id: z.string() }),
    z.transform(({ id }) => ({ number: Number(id) })),
  )

  it('checks each post and gives its output', async () => {
    service.script(...threePages())
    const { items } = await walk(makeClient().microblog.search({ query: 'rust' }, { schema }))
    expect(items).toEqual([1, 2, 3, 4, 5].map((number) => ({ number })))
  })

  it('refuses the page when a post is invalid, or reports the post when lenient', async () => {
    const picky = z.looseObject({ id: z.string().check(z.regex(/1/, 'no one')) })
    service.script(ok(page(['1', '2'])))
    const { error } = await settle(search({ schema: picky }))
    expect(error).toMatchObject({ issues: [{ path: 'posts.1.id', message: 'no one' }] })
    const { value } = await settle(search({ schema: picky, validation: 'lenient' }))
    expect(value?.posts).toHaveLength(1)
    expect(value?.invalid?.[0]).toMatchObject({ index: 1, issues: [{ path: 'id', message: 'no one' }] })
  })

  it('names the post when its issue has no path', async () => {
    service.script(ok(page(['1', '2'])))
    const one = z.looseObject({ id: z.string() }).check(z.refine(({ id }) => id === '1', 'is not one'))
    const { error } = await settle(search({ schema: one }))
    expect((error as InvalidResponseError).issues).toEqual([{ path: 'posts.1', message: 'is not one' }])
  })

  const odd: [name: string, validate: () => unknown][] = [
    ['undefined', () => undefined],
    ['null', () => null],
    ['issues that are text', () => ({ issues: 'bad' })],
    ['an issue that is null', () => ({ issues: [null] })],
    ['an issue without a message', () => ({ issues: [{}] })],
    ['a path of null', () => ({ issues: [{ message: 'm', path: [null] }] })],
    ['a rejected promise', () => Promise.reject(new Error('bug'))],
  ]
  it.each(odd)('keeps the paid page on the error when the schema returns %s', async (_, validate) => {
    service.script(ok(page(['1'])))
    const schema = { '~standard': { version: 1, vendor: 'test', validate: validate as () => never } } as const
    const message = expect.stringContaining('does not fit your schema')
    expect(await service.search({}, { schema } as object)).toMatchObject({
      error: { name: 'InvalidResponseError', message, body: page(['1']) },
      ...paid,
    })
  })

  const hanging: object = { schema: { '~standard': { version: 1, vendor: 'test', validate: hang } } }

  it('ends at the deadline of its call, and keeps the paid response', async () => {
    service.script(ok(page(['1'])))
    expect(await service.search({ deadline: 500 }, hanging)).toMatchObject({
      error: { name: 'InvalidResponseError', charged: 'yes', body: page(['1']) },
      ms: 500,
      ...paid,
    })
  })

  it('ends with the reason when its call is aborted, and counts the paid response', async () => {
    service.script(ok(page(['1'])))
    const signal = abortIn(500, 'the user left')
    expect(await service.search({}, { ...hanging, signal })).toMatchObject({
      error: 'the user left',
      ms: 500,
      ...paid,
    })
  })

  it('does not hide the charge of a paid response when the client closes', async () => {
    service.script(ok(page(['1'])))
    const client = makeClient()
    setTimeout(() => void client.close(), 500)
    const { error } = await service.search(client, hanging)
    const paidFor = { charged: 'yes', attempts: [{ charged: 'yes' }], body: page(['1']) }
    expect(error).toMatchObject({ name: 'ClosedError', ...paidFor })
  })
})
