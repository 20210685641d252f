import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import {
  type ClientOptions,
  CreditBudget,
  type Fetch,
  type MicroblogFilters,
  type ProfessionalnetCompanyGetParams,
  InvalidRequestError,
  type MicroblogSearchParams,
  type SocialSearchError,
} from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { apiKey, baseUrl, failure, makeClient, notPaid, ok, scriptedService } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

describe('search()', () => {
  it.each(['sendWithin', 'abandon'])('refuses the option %s, which only the proxy has', async (name) => {
    const search = makeClient().microblog.search({ query: 'rust' }, { [name]: undefined })
    expect((await settle(search)).error).toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringMatching(`unknown option ${name}; expected one of signal,`),
    })
    expect(service.arrivals).toEqual([])
  })

  it('sends the documented method, path, headers and body, and nothing else', async () => {
    service.script(ok())
    const params: MicroblogSearchParams = {
      query: 'rust',
      category: 'Latest',
      filters: { lang: 'en', onlyPostsWithLinks: true },
    }
    await settle(makeClient().microblog.search(params))
    const [{ method, url, headers, body }] = service.arrivals as [(typeof service.arrivals)[number]]
    expect([method, url]).toEqual(['POST', `${baseUrl}/data/microblog/tweets/search`])
    expect(JSON.parse(body)).toEqual(params)
    const own = Object.fromEntries(
      [...headers].filter(
        ([name]) => !/^(user-agent|sec-|connection|host|accept-|content-length)/.test(name),
      ),
    )
    expect(own).toEqual({
      accept: 'application/json',
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
    })
  })

  it('sends the headers that the client and the call add', async () => {
    service.script(ok())
    const client = makeClient({ headers: { 'x-team': 'a', 'x-app': 'b' } })
    await settle(client.microblog.search({ query: 'rust' }, { headers: { 'x-team': 'c' } }))
    const { headers } = service.arrivals[0]!
    expect([headers.get('x-team'), headers.get('x-app')]).toEqual(['c', 'b'])
  })

  it.each<[string, NonNullable<ClientOptions['headers']>]>([
    ['pairs', [['x-team', 'c']]],
    ['a Map', new Map([['x-team', 'c']])],
    ['Headers', new Headers({ 'x-team': 'c' })],
  ])('sends headers that are given as %s', async (_, headers) => {
    service.script(ok())
    await settle(makeClient().microblog.search({ query: 'rust' }, { headers }))
    expect(service.arrivals[0]?.headers.get('x-team')).toBe('c')
  })

  it.each([
    'Connection',
    'content-length',
    'expect',
    'host',
    'keep-alive',
    'te',
    'transfer-encoding',
    'upgrade',
  ])('refuses the header %s before it reserves credits', async (name) => {
    const reserve = vi.fn()
    const client = makeClient({ budget: { reserve } })
    const { error } = await settle(client.microblog.search({ query: 'rust' }, { headers: { [name]: '1' } }))
    expect(error).toMatchObject({ name: 'ConfigurationError', charged: 'no' })
    expect([reserve.mock.calls, client.credits, service.arrivals]).toMatchObject([[], notPaid, []])
  })

  it('names this package, its version and the runtime unless a user agent is given', async () => {
    service.script(() => ok())
    const client = makeClient()
    await settle(client.microblog.search({ query: 'rust' }))
    await settle(client.microblog.search({ query: 'rust' }, { headers: { 'User-Agent': 'mine/1' } }))
    expect(service.arrivals.map(({ headers }) => headers.get('user-agent'))).toEqual([
      expect.stringMatching(/^social-search-sdk\/\d+\.\d+\.\d+ node\/24$/),
      'mine/1',
    ])
  })

  it('sends no user agent in a browser, where it would change the preflight', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (X11)' })
    const fetch = vi.fn<Fetch>(() => Promise.resolve(ok()))
    await settle(makeClient({ fetch, dangerouslyAllowBrowser: true }).microblog.search({ query: 'rust' }))
    vi.unstubAllGlobals()
    expect(fetch.mock.lastCall?.[0].headers.has('user-agent')).toBe(false)
  })

  it('sends params, and nothing else, when a program has extended Object.prototype', async () => {
    service.script(ok())
    Object.assign(Object.prototype, { extended: true })
    try {
      const search = makeClient().microblog.search({ query: 'rust', filters: { lang: 'en' } })
      expect((await settle(search)).error).toBeUndefined()
    } finally {
      delete (Object.prototype as { extended?: true }).extended
    }
    expect(service.arrivals[0]?.body).toBe('{"query":"rust","filters":{"lang":"en"}}')
  })

  it('names a param that the service does not know', async () => {
    const { error } = await settle(makeClient().microblog.search({ query: 'rust', near: 'here' } as never))
    expect((error as Error).message).toBe(
      'microblog.search: not sent: near is not a known property; to send it anyway, use extraParams',
    )
  })

  const contradictory: [path: string, problem: string, filters: MicroblogFilters][] = [
    ['radius', 'needs geocode', { radius: 5 }],
    ['onlyReplies', 'leaves nothing with removeReplies', { onlyReplies: true, removeReplies: true }],
    [
      'onlyPostsWithLinks',
      'leaves nothing with removePostsWithLinks',
      { onlyPostsWithLinks: true, removePostsWithLinks: true },
    ],
  ]
  it.each(contradictory)(
    'refuses %s, which %s, unless extraParams has it',
    async (name, problem, filters) => {
      const client = makeClient()
      const { error } = await settle(client.microblog.search({ query: 'rust', filters }))
      expect(error).toMatchObject({ code: 'invalid_request', charged: 'no', option: 'extraParams' })
      expect((error as Error).message).toContain(
        `filters.${name} ${problem}; to send it anyway, use extraParams`,
      )
      expect(service.arrivals).toHaveLength(0)
      service.script(ok())
      await settle(client.microblog.search({ query: 'rust' }, { extraParams: { filters } }))
      expect(JSON.parse(service.arrivals[0]!.body)).toEqual({ query: 'rust', filters })
    },
  )

  it('accepts filters that are false or go together', async () => {
    service.script(ok())
    const filters = {
      onlyReplies: true,
      removeReplies: false,
      removePostsWithMedia: true,
      geocode: '1,2',
      radius: 5,
    }
    const { error } = await settle(makeClient().microblog.search({ query: 'rust', filters }))
    expect(error).toBeUndefined()
  })

  it.each(['signal', 'budget', 'schema'])(
    'says where %s goes when it stands among open params',
    async (name) => {
      const values = { signal: AbortSignal.timeout(9), budget: new CreditBudget(5), schema: z.object({}) }
      const params = { query: 'rust', [name]: values[name as keyof typeof values] }
      const { error } = await settle(makeClient().technews.search(params))
      expect((error as Error).message).toContain(`${name} is an option: pass it after the params`)
      // A query could not be written with it, which is not said besides.
      const { error: inQuery } = await settle(makeClient().mentions.list({ [name]: params[name] }))
      expect(inQuery).toMatchObject({
        issues: [{ path: name, message: 'is an option: pass it after the params' }],
      })
    },
  )

  it('shows where a text in place of the params goes, if one of them is required', async () => {
    const { error } = await settle(makeClient().microblog.search('coffee' as never))
    expect((error as Error).message).toContain(`must be an object, got "coffee"; pass { query: 'coffee' }`)
    const { error: other } = await settle(makeClient().technews.search('coffee' as never))
    expect((other as Error).message).not.toContain('pass {')
  })

  // The bounds of each field are in test/properties/contract.test.ts.
  const bad: [path: string, params: object][] = [
    ['query', {}],
    ['', null as never],
    ['page', { query: 'q', page: 2 }],
    ['filters.hashtags', { query: 'q', filters: { hashtags: Array(31).fill('x') } }],
  ]
  it.each(bad)('names %j and sends nothing when it is %j', async (path, params) => {
    const client = makeClient()
    const { error } = await settle(client.microblog.search(params as MicroblogSearchParams))
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error).toMatchObject({ code: 'invalid_request', charged: 'no', attempts: [] })
    expect((error as InvalidRequestError).issues.map((issue) => issue.path)).toEqual([path])
    expect(service.arrivals).toHaveLength(0)
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
  })
})

describe('company.get()', () => {
  it('names null when it is given in place of params', async () => {
    const { error } = await settle(makeClient().professionalnet.company.get(null as never))
    expect((error as Error).message).toContain('params must be an object, got null')
  })

  it('rejects with an error without `next` when the request is invalid or fails, since it has no pages', async () => {
    service.script(failure(404, 'not_found'))
    const { company } = makeClient().professionalnet
    const invalid = await settle(company.get({} as ProfessionalnetCompanyGetParams))
    const failed = await settle(company.get({ url: 'https://network.example/company' }))
    expect([invalid.error, failed.error]).toMatchObject([{ code: 'invalid_request' }, { code: 'not_found' }])
    for (const { error } of [invalid, failed]) expect((error as SocialSearchError).next).toBeUndefined()
  })
})
