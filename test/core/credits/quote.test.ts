import { describe, expect, it } from 'vitest'
import {
  type ClientOptions,
  ConfigurationError,
  InvalidRequestError,
  SocialSearch,
} from '../../../src/index.ts'

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
      perPage: 2,
      duration: 120_000,
      why: '2 credits a page for 50 pages',
    })
    expect(client.quote('professionalnet.company.get', { url: 'u' }).atMost).toBe(4)
  })

  it('has the time of all pages: 20 at once, then 20 a minute, and none without a limit', () => {
    const minutes = (quoting: SocialSearch, pages: number) =>
      quoting.quote('microblog.search', { query: 'a' }, { maxPages: pages }).duration / 60_000
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
    ]).toEqual([2, 4, 0, 0, 1, 60_000, 0])
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

  it('has no maximum for reactions', () => {
    const quote = client.quote('professionalnet.posts.reactions', {})
    expect(quote).toMatchObject({ atMost: null, perPage: null, why: expect.stringContaining('no bound') })
  })

  it('counts the reactions that are expected once, however many pages they are on', () => {
    const { atMost, why } = client.quote(
      'professionalnet.posts.reactions',
      {},
      { expectedItems: 250, maxPages: 3 },
    )
    expect(atMost).toBe(250)
    expect(why).toBe('1 credit for each of 250 reactions, as expected')
  })

  it('is 0 for free calls, also by the id of a record', () => {
    expect(client.quote('mentions.list')).toMatchObject({
      atMost: 0,
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
