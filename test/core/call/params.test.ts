import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { ResultCache } from '../../../src/extensions/cache/index.ts'
import { type ClientOptions, CreditBudget, type Fetch, type MicroblogFilters } from '../../../src/index.ts'
import { settle } from '../../support/clock.ts'
import { page } from '../../support/pages.ts'
import { apiKey, failure, makeClient, notPaid, ok, virtualService } from '../../support/service.ts'

const service = virtualService()

/** Searches with params that may be wrong. */
const search = (params: unknown, options = {}, client: Partial<ClientOptions> = {}) =>
  service.see(({ microblog }) => microblog.search(params as never, options), client)
/** Searches where no param is documented. */
const news = (params: unknown, options = {}) =>
  service.see(({ technews }) => technews.search(params as never, options))
const query = { query: 'rust' }
const says = (text: string): object => ({ message: expect.stringContaining(text) as string })

describe('search() sends', () => {
  it('the documented params and headers, and nothing else', async () => {
    const params = { ...query, category: 'Latest', filters: { lang: 'en', onlyPostsWithLinks: true } }
    service.script(ok())
    expect((await search(params)).bodies).toEqual([params])
    const { headers } = service.arrivals[0]!
    const ofRuntime = /^(user-agent|sec-|connection|host|accept-|content-length)/
    expect(Object.fromEntries([...headers].filter(([name]) => !ofRuntime.test(name)))).toEqual({
      accept: 'application/json',
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
    })
  })

  const ofRuntime = 'Connection content-length expect host keep-alive te transfer-encoding upgrade'.split(' ')
  it.each(ofRuntime)('nothing, and reserves no credits, when it gets the header %s', async (name) => {
    const reserve = vi.fn()
    const seen = await service.search({ budget: { reserve } }, { headers: { [name]: '1' } })
    const error = { name: 'ConfigurationError', charged: 'no' }
    expect([seen, reserve.mock.calls]).toMatchObject([{ error, ...notPaid, sent: 0 }, []])
  })

  it('the name of this package, its version and the runtime unless a user agent is given', async () => {
    const { client } = await service.script(() => ok()).search()
    await service.search(client, { headers: { 'User-Agent': 'mine/1' } })
    expect(service.arrivals.map(({ headers }) => headers.get('user-agent'))).toEqual([
      expect.stringMatching(/^social-search-sdk\/\d+\.\d+\.\d+ node\/24$/),
      'mine/1',
    ])
  })

  it('no user agent in a browser, where it would change the preflight', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (X11)' })
    const fetch = vi.fn<Fetch>(() => Promise.resolve(ok()))
    await service.search({ fetch, dangerouslyAllowBrowser: true })
    vi.unstubAllGlobals()
    expect(fetch.mock.lastCall?.[0].headers.has('user-agent')).toBe(false)
  })

  it('params, and nothing else, when a program has extended Object.prototype', async () => {
    service.script(ok())
    const params = { ...query, filters: { lang: 'en' } }
    Object.assign(Object.prototype, { extended: true })
    try {
      expect(await search(params)).toMatchObject({ error: undefined, bodies: [params] })
    } finally {
      delete (Object.prototype as { extended?: true }).extended
    }
    expect(service.arrivals[0]?.body).toBe(JSON.stringify(params))
  })

  it.each(['sendWithin', 'abandon'])('nothing with the option %s, which only the proxy has', async (name) => {
    const error = { name: 'ConfigurationError', ...says(`unknown option ${name}; expected one of signal,`) }
    expect(await search(query, { [name]: undefined })).toMatchObject({ error, sent: 0 })
  })
})

describe('params', () => {
  const replies = { onlyReplies: true, removeReplies: true }
  const links = { onlyPostsWithLinks: true, removePostsWithLinks: true }
  it.each<[name: string, problem: string, filters: MicroblogFilters]>([
    ['radius', 'needs geocode', { radius: 5 }],
    ['onlyReplies', 'leaves nothing with removeReplies', replies],
    ['onlyPostsWithLinks', 'leaves nothing with removePostsWithLinks', links],
  ])('are refused when %s %s, unless extraParams has it', async (name, problem, filters) => {
    const said = says(`filters.${name} ${problem}; to send it anyway, use extraParams`)
    const error = { code: 'invalid_request', charged: 'no', option: 'extraParams', ...said }
    expect(await search({ ...query, filters })).toMatchObject({ error, sent: 0 })
    service.script(ok())
    expect((await search(query, { extraParams: { filters } })).bodies).toEqual([{ ...query, filters }])
  })

  it('are sent when filters are false or go together', async () => {
    const off = { onlyReplies: true, removeReplies: false, removePostsWithMedia: true }
    service.script(ok())
    const { error } = await search({ ...query, filters: { ...off, geocode: '1,2', radius: 5 } })
    expect(error).toBeUndefined()
  })

  const options = { signal: new AbortController().signal, budget: new CreditBudget(5), schema: z.object({}) }
  it.each(Object.entries(options))(
    'are told where %s goes when it stands among open ones',
    async (...own) => {
      const [name, value] = own
      const message = 'is an option: pass it after the params'
      expect((await news({ ...query, [name]: value })).error).toMatchObject(says(`${name} ${message}`))
      // A query could not be written with it, which is not said besides.
      const inQuery = await service.see(({ mentions }) => mentions.list({ [name]: value }))
      expect(inQuery.error).toMatchObject({ issues: [{ path: name, message }] })
    },
  )

  // The bounds of each field are in test/properties/contract.test.ts.
  it.each<[path: string, params: unknown, said?: string]>([
    ['query', {}],
    ['', null],
    ['page', { ...query, page: 2 }],
    ['near', { ...query, near: 1 }, 'near is not a known property; to send it anyway, use extraParams'],
    ['filters.hashtags', { ...query, filters: { hashtags: Array(31).fill('x') } }],
    ['', 'coffee', `must be an object, got "coffee"; pass { query: 'coffee' }`],
  ])(
    'are refused, and nothing is sent, with an issue at %j when they are %j',
    async (path, params, said = '') => {
      const error = { name: 'InvalidRequestError', charged: 'no', issues: [{ path }], attempts: [] }
      expect(await search(params)).toMatchObject({ error: { ...error, ...says(said) }, ...notPaid, sent: 0 })
    },
  )

  it('are no text, and the error shows no object to pass if none is required', async () => {
    expect(((await news('coffee')).error as Error).message).not.toContain('pass {')
  })

  it('of a call without pages are refused, as is a failure, by an error without `next`', async () => {
    service.script(failure(404, 'not_found'))
    const get = async (params: unknown) =>
      (await service.see(({ professionalnet }) => professionalnet.company.get(params as never))).error
    const company = { url: 'https://network.example/company' }
    const [invalid, failed] = [await get({}), await get(company)]
    expect([invalid, failed]).toMatchObject([{ code: 'invalid_request' }, { code: 'not_found' }])
    for (const error of [invalid, failed]) expect((error as { next?: unknown }).next).toBeUndefined()
    expect(await get(null)).toMatchObject(says('params must be an object, got null'))
  })
})

describe('extraParams', () => {
  const pageOf = (nextCursor?: string) => ok(page([], nextCursor))

  const lang = { lang: 'en' }
  const views = { minimumViewsCount: 5 }
  const filters = views
  it.each<[string, object, object, sent?: object]>([
    ['a new param', {}, { newParam: 1 }],
    ['a new value of an enum', { category: 'Top' }, { category: 'Live' }],
    [
      'a new filter beside a documented one',
      { filters: lang },
      { filters },
      { filters: { ...lang, ...views } },
    ],
  ])('sends %s', async (_, params, extraParams, sent = extraParams) => {
    service.script(pageOf())
    const seen = await search({ ...query, ...params }, { extraParams })
    expect(seen).toMatchObject({ error: undefined, bodies: [{ ...query, ...sent }] })
  })

  it.each<[string, object, object]>([
    ['a typo', { qeury: 'rust' }, { newParam: 1 }],
    ['a typo among filters', { filters: { langg: 'en' } }, { filters }],
    ['a wrong type in place of filters', { filters: 'en' }, { filters }],
    ['an extra cursor', {}, { cursor: 'a' }],
    ['a function', {}, { newParam: () => {} }],
    ['a BigInt', {}, { newParam: 1n }],
    ['NaN', {}, { newParam: NaN }],
    ['a Set', {}, { newParam: new Set([1]) }],
    ['a promise that nobody awaited', {}, { filters: { newParam: Promise.resolve(1) } }],
    ['a gap in a list', {}, { newParam: [1, undefined] }],
    ['an invalid date, in place of which JSON has null', {}, { filters: { from: new Date('yesterday') } }],
    ['a Map in place of the extra params', {}, new Map([['newParam', 1]])],
    ['a Map in place of documented filters', { filters: new Map([['lang', 'en']]) }, {}],
  ])('sends nothing and costs nothing for %s', async (_, params, extraParams) => {
    const error = { name: 'InvalidRequestError', charged: 'no' }
    const seen = await search({ ...query, ...params }, { extraParams })
    expect(seen).toMatchObject({ error, ...notPaid, sent: 0 })
  })

  it('goes with every page, and with next of a page and of an error', async () => {
    service.script(pageOf('c1'), failure(502, 'upstream_error'), pageOf('c1'), pageOf())
    const client = makeClient({ retry: false })
    const extraParams: Record<string, unknown> = { filters }
    const call = client.microblog.search(query, { extraParams })
    extraParams['later'] = true
    const walk = call.pages()
    const next = { ...query, filters, cursor: 'c1' }
    expect((await settle(walk.next())).value).toMatchObject({ value: { next } })
    const { error } = await settle(walk.next())
    expect(error).toMatchObject({ name: 'UpstreamError', next })
    expect((await settle(call.resume(error as never).then())).error).toBeUndefined()
    const changed = { filters: { minimumViewsCount: 6 } }
    const again = client.microblog.search(next as never, { extraParams: changed })
    const { bodies } = await service.see(() => again)
    expect(bodies).toEqual([{ ...query, filters }, next, next, { ...next, ...changed }])
  })

  it('is refused by resume() of a call without it', () => {
    const next = { ...query, newParam: 1, cursor: 'c1' }
    expect(() => makeClient().microblog.search(query).resume({ next })).toThrow('newParam')
  })

  it('is part of what the cache stores an answer for', async () => {
    service.script(() => pageOf())
    const client = makeClient({ cache: new ResultCache({ maxAge: 60_000 }) })
    for (const minimumViewsCount of [5, 6, 5])
      await service.search(client, { extraParams: { filters: { minimumViewsCount } } })
    expect(service.arrivals).toHaveLength(2)
  })
})
