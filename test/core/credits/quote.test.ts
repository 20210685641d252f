import { describe, expect, it } from 'vitest'
import {
  type ClientOptions,
  type QuoteOptions,
  ConfigurationError,
  InvalidRequestError,
  SocialSearch,
} from '../../../src/index.ts'
import { SharedLimiter, memoryStore } from '../../../src/extensions/shared/index.ts'

const baseUrl = 'https://api.example/v1'
const sent: Request[] = []
const client = new SocialSearch({
  baseUrl,
  apiKey: 'key_for_quotes',
  prices: { 'technews.search': 3.5 },
  fetch: (request) => {
    sent.push(request)
    return Promise.reject(new Error('nothing may be sent'))
  },
})

describe('quote()', () => {
  it('multiplies the price of a page by the pages', () => {
    expect(client.quote('microblog.search', { query: 'a' }, { maxPages: 50 })).toEqual({
      atMost: 100,
      expected: 100,
      perPage: 2,
      duration: 120_000,
      why: '2 credits a page for 50 pages',
    })
    expect(client.quote('professionalnet.company.get', { url: 'u' }).atMost).toBe(4)
  })

  it('has no maximum without maxPages, since nobody knows how many pages there are', () => {
    const unknown = { atMost: null, duration: null, why: '2 credits a page; the number of pages is unknown' }
    expect(client.quote('microblog.search', { query: 'a' })).toEqual({
      ...unknown,
      expected: null,
      perPage: 2,
    })
    expect(client.quote('mentions.list')).toMatchObject({ atMost: 0, expected: 0, duration: null })
  })

  it('has no maximum for a limit, since pages may have less than they have room for', () => {
    const quote = (options: QuoteOptions, count?: number) =>
      client.quote('microblog.search', { query: 'a', count }, options)
    expect(quote({ limit: 401 })).toEqual({
      ...{ atMost: null, expected: 42, perPage: 2, duration: 60_000 },
      why: '2 credits a page for 21 pages if they are full; pages may have less, so the most is unknown',
    })
    expect(quote({ limit: 40, maxPages: 10 }, 5)).toMatchObject({
      ...{ atMost: 20, expected: 16 },
      why: '2 credits a page for 8 pages if they are full, at most 10',
    })
    expect(quote({ limit: 40, maxPages: 2 })).toMatchObject({ atMost: 4, expected: 4 })
    expect(client.quote('professionalnet.posts.search', { query: 'a' }, { limit: 40 })).toMatchObject({
      atMost: null,
      expected: null,
      why: '4 credits a page; the number of pages is unknown',
    })
  })

  it('has the time of all pages: 20 at once, then 20 a minute, and none without a limit', () => {
    const minutes = (quoting: SocialSearch, pages: number) => {
      const { duration } = quoting.quote('microblog.search', { query: 'a' }, { maxPages: pages })
      return duration === null ? null : duration / 60_000
    }
    expect([1, 20, 21, 40, 41, 50].map((pages) => minutes(client, pages))).toEqual([0, 0, 1, 1, 2, 2])
    const limited = (limits: ClientOptions['limits']) =>
      new SocialSearch({ baseUrl, apiKey: `key_${crypto.randomUUID()}`, limits })
    expect([
      minutes(limited({ perMinute: 10 }), 21),
      minutes(limited({ perMinute: 5 }), 21),
      minutes(limited({ perMinute: false }), 1000),
      minutes(limited({ surfaces: { 'microblog.search': null } }), 1000),
      minutes(limited({ surfaces: { 'mentions.list': 'mine' } }), 21),
      limited({ surfaces: { 'mentions.list': 'mine' } }).quote('mentions.list', {}, { maxPages: 21 })
        .duration,
      client.quote('mentions.list', {}, { maxPages: 1000 }).duration,
    ]).toEqual([2, 4, 0, null, 1, 60_000, null])
  })

  it('has the time at the limits of a limiter that the client shares', () => {
    const limits = { perMinute: 5, windowMs: 10_000 }
    const limiter = new SharedLimiter({ store: memoryStore(), organization: 'acme', limits })
    const sharing = new SocialSearch({ baseUrl, apiKey: 'key_for_quotes', limiter })
    expect(sharing.quote('microblog.search', { query: 'a' }, { maxPages: 11 }).duration).toBe(20_000)
  })

  it('uses the prices of the client', () => {
    expect(client.quote('technews.search', {}, { maxPages: 3 }).atMost).toBe(10.5)
  })

  it("limits comments by maxComments, or by the service's default", () => {
    const quote = (params: object) =>
      client.quote('professionalnet.posts.comments', params as { postUrl: string }).atMost
    expect([quote({ postUrl: 'u', maxComments: 250 }), quote({ postUrl: 'u' })]).toEqual([250, 100])
  })

  it('counts the items of a bound also at a price of 0', () => {
    const free = new SocialSearch({
      baseUrl,
      apiKey: 'key_for_quotes',
      prices: { 'professionalnet.posts.comments': 0 },
    })
    const { why } = free.quote('professionalnet.posts.comments', { postUrl: 'u', maxComments: 250 })
    expect(why).toContain('250 comments (maxComments)')
  })

  it('has no maximum for reactions, however many are expected on however many pages', () => {
    const why = '1 credit for each of the reactions; the service documents no bound, so the most is unknown'
    const quote = (options?: QuoteOptions) => client.quote('professionalnet.posts.reactions', {}, options)
    expect(quote()).toMatchObject({ atMost: null, expected: null, perPage: null, why })
    expect(quote({ expectedItems: 250, maxPages: 3 })).toMatchObject({
      ...{ atMost: null, expected: 250, perPage: null, why: `${why}; 250 expected` },
    })
  })

  it('has the same maximum for comments, however many are expected', () => {
    const quote = (expectedItems: number) =>
      client.quote('professionalnet.posts.comments', { postUrl: 'u' }, { expectedItems })
    expect(quote(9)).toMatchObject({
      ...{ atMost: 100, expected: 9, perPage: 100 },
      why: '1 credit for each of 100 comments (maxComments); 9 expected',
    })
    expect(quote(150)).toMatchObject({ atMost: 100, expected: 100 })
  })

  it('is 0 for free calls, also by the id of a record', () => {
    expect(client.quote('mentions.list')).toMatchObject({
      atMost: 0,
      expected: 0,
      perPage: 0,
      why: 'mentions.list is free',
    })
    expect(client.quote('mentions.get', 'men_1').atMost).toBe(0)
  })

  it.each([
    [
      'pages of a call without pages',
      () => client.quote('professionalnet.company.get', { url: 'u' }, { maxPages: 2 }),
      'professionalnet.company.get: has no pages; leave maxPages out, got 2',
    ],
    [
      'an unknown option',
      () => client.quote('microblog.search', { query: 'a' }, { pages: 1000 } as never),
      'unknown option pages',
    ],
    ['an unknown call', () => client.quote('microblog.find' as never), 'unknown operation microblog.find'],
    [
      'half a page',
      () => client.quote('microblog.search', { query: 'a' }, { maxPages: 0.5 }),
      'whole number',
    ],
  ])('refuses %s', (_, quote, message) => {
    expect(quote).toThrow(ConfigurationError)
    expect(quote).toThrow(message)
  })

  it('refuses params that the call would refuse', () => {
    expect(() => client.quote('microblog.search', { query: '' })).toThrow(InvalidRequestError)
    expect(() => client.quote('mentions.get')).toThrow(InvalidRequestError)
  })

  it('sends nothing', () => expect(sent).toEqual([]))
})
