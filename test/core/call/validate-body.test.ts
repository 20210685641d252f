import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { clientTransport } from '../../../src/core/call/transport.ts'
import { organizationUsage } from '../../../src/api/organization.ts'
import { InvalidResponseError, createTransport } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { page, post } from '../../support/pages.ts'
import { idsOf, search, threePages } from '../../support/search.ts'
import { walk } from '../../support/walk.ts'
import { apiKey, baseUrl, makeClient, ok, scriptedService } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

describe('validation', () => {
  const broken = { ...post('2'), author: null }
  const mixed = { ...page(['1', '3']), posts: [post('1'), broken, post('3')] }

  it('strict refuses a page with an invalid item, and keeps the page on the error', async () => {
    service.script(ok(mixed))
    const { error } = await settle(search())
    expect(error).toMatchObject({
      issues: [{ path: 'posts.1.author', message: 'must be a string, got null' }],
    })
    expect((error as InvalidResponseError).body).toEqual(mixed)
  })

  it('lenient keeps the valid items and reports the others', async () => {
    service.script(ok(mixed))
    const { value } = await settle(search({ validation: 'lenient' }))
    expect(idsOf(value!.posts)).toEqual(['1', '3'])
    expect(value?.invalid).toEqual([
      { index: 1, item: broken, issues: [{ path: 'author', message: 'must be a string, got null' }] },
    ])
  })

  it('lenient does not treat a page with only invalid items as empty', async () => {
    const bad = (cursor: string) => ok({ ...page(['x'], cursor), posts: [broken] })
    service.script(bad('A'), bad('B'), bad('C'), ok(page(['1'])))
    expect(idsOf((await walk(search({ validation: 'lenient' }))).items)).toEqual(['1'])
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

  it('leaves prototypes alone when the body has a __proto__ key', async () => {
    service.script(ok(`{"__proto__":{"polluted":true},${JSON.stringify(page(['1'])).slice(1)}`))
    const { value } = await settle(search())
    expect(value?.posts).toHaveLength(1)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    expect((value as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('rejects and does not crash when the JSON is nested 100,000 deep', async () => {
    service.script(ok(`${'['.repeat(100_000)}${']'.repeat(100_000)}`))
    expect((await settle(search())).error).toBeInstanceOf(InvalidResponseError)
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
  ]
  it.each(odd)('keeps the paid page on the error when the schema returns %s', async (_, validate) => {
    service.script(ok(page(['1'])))
    const schema = { '~standard': { version: 1, vendor: 'test', validate: validate as () => never } } as const
    const client = makeClient()
    const { error } = await settle(client.microblog.search({ query: 'rust' }, { schema }))
    expect(error).toBeInstanceOf(InvalidResponseError)
    expect((error as Error).message).toMatch(/does not fit the schema of the call/)
    expect((error as InvalidResponseError).body).toEqual(page(['1']))
    expect(client.credits).toMatchObject({ spent: 2, uncertain: 0, reserved: 0 })
  })

  const hanging = {
    '~standard': { version: 1, vendor: 'test', validate: () => new Promise<never>(() => {}) },
  } as const

  it('ends at the deadline of its call, and keeps the paid response', async () => {
    service.script(ok(page(['1'])))
    const client = makeClient({ deadline: 500 })
    const { error, ms } = await settle(client.microblog.search({ query: 'rust' }, { schema: hanging }))
    expect(error).toMatchObject({ name: 'InvalidResponseError', charged: 'yes', body: page(['1']) })
    expect(ms).toBe(500)
    expect(client.credits).toMatchObject({ spent: 2, uncertain: 0, reserved: 0 })
  })

  it('ends with the reason when its call is aborted, and counts the paid response', async () => {
    service.script(ok(page(['1'])))
    const client = makeClient()
    const reason = new Error('the user left')
    const controller = new AbortController()
    setTimeout(() => controller.abort(reason), 500)
    const options = { schema: hanging, signal: controller.signal }
    const { error, ms } = await settle(client.microblog.search({ query: 'rust' }, options))
    expect(error).toBe(reason)
    expect(ms).toBe(500)
    expect(client.credits).toMatchObject({ spent: 2, uncertain: 0, reserved: 0 })
  })

  it('does not hide the charge of a paid response when the client closes', async () => {
    service.script(ok(page(['1'])))
    const client = makeClient()
    setTimeout(() => void client.close(), 500)
    const { error } = await settle(client.microblog.search({ query: 'rust' }, { schema: hanging }))
    expect(error).toMatchObject({ name: 'ClosedError', charged: 'yes', attempts: [{ charged: 'yes' }] })
  })

  it('keeps the paid page on the error when the schema itself throws', async () => {
    service.script(ok(page(['1'])))
    const throwing = {
      '~standard': { version: 1, vendor: 'test', validate: () => Promise.reject(new Error('bug')) },
    } as const
    const { error } = await settle(search({ schema: throwing }))
    expect(error).toBeInstanceOf(InvalidResponseError)
    expect((error as InvalidResponseError).body).toEqual(page(['1']))
  })
})

describe('withResponse()', () => {
  it('shows no secret that the text of a response has in escapes', async () => {
    const escaped = apiKey.replaceAll(/./g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)
    service.script(ok(JSON.stringify({ ...page(['1']), echo: '?' }).replace('?', escaped)))
    const { value } = await settle(makeClient().microblog.search({ query: 'rust' }).withResponse())
    const text = await value?.response.text()
    expect(JSON.parse(text ?? '')).toMatchObject({ echo: '[redacted]', posts: [{ id: '1' }] })
  })
})

describe('InvalidResponseError', () => {
  it('has no secret in its body when the response is a single string', async () => {
    service.script(ok(JSON.stringify(apiKey)))
    const { error } = await settle(makeClient().microblog.search({ query: 'rust' }))
    expect((error as InvalidResponseError).body).toBe('[redacted]')
  })
})
