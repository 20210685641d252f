import { describe, expect, it } from 'vitest'
import { SharedLimiter, memoryStore } from '../../../src/extensions/shared/index.ts'
import type { ClientOptions, QuoteOptions } from '../../../src/index.ts'
import { query } from '../../support/search.ts'
import { makeClient } from '../../support/service.ts'

const quoting = (options: Partial<ClientOptions> = {}) => {
  const fetch = () => expect.unreachable('nothing may be sent')
  const client = makeClient({ prices: { 'technews.search': 3.5 }, fetch, ...options })
  return (operation: string, params?: object | string, options?: QuoteOptions) =>
    client.quote(operation as 'microblog.search', params as typeof query, options)
}
const quote = quoting()
const search = 'microblog.search'
const comments = 'professionalnet.posts.comments'
const post = { postUrl: 'u' }
const perReaction =
  '1 credit for each of the reactions; the service documents no bound, so the most is unknown'
const unknown = { atMost: null, expected: null }

describe('quote()', () => {
  it.each<[does: string, Parameters<typeof quote>, object]>([
    [
      'multiplies the price of a page by the pages',
      [search, query, { maxPages: 50 }],
      { atMost: 100, expected: 100, perPage: 2, duration: 120_000, why: '2 credits a page for 50 pages' },
    ],
    ['is the price of a call without pages', ['professionalnet.company.get', { url: 'u' }], { atMost: 4 }],
    [
      'has no maximum without maxPages, since nobody knows how many pages there are',
      [search, query],
      { ...unknown, perPage: 2, duration: null, why: '2 credits a page; the number of pages is unknown' },
    ],
    [
      'has no maximum for a limit, since pages may have less than they have room for',
      [search, query, { limit: 401 }],
      {
        ...{ atMost: null, expected: 42, perPage: 2, duration: 60_000 },
        why: '2 credits a page for 21 pages if they are full; pages may have less, so the most is unknown',
      },
    ],
    [
      'has a maximum for a limit with maxPages',
      [search, { ...query, count: 5 }, { limit: 40, maxPages: 10 }],
      { atMost: 20, expected: 16, why: '2 credits a page for 8 pages if they are full, at most 10' },
    ],
    [
      'expects no page above maxPages',
      [search, query, { limit: 40, maxPages: 2 }],
      { atMost: 4, expected: 4 },
    ],
    [
      'expects nothing of a limit when pages have no documented size',
      ['professionalnet.posts.search', query, { limit: 40 }],
      { ...unknown, why: '4 credits a page; the number of pages is unknown' },
    ],
    ['uses the prices of the client', ['technews.search', {}, { maxPages: 3 }], { atMost: 10.5 }],
    ['limits comments by maxComments', [comments, { ...post, maxComments: 250 }], { atMost: 250 }],
    [
      'has the same maximum for comments, however few are expected',
      [comments, post, { expectedItems: 9 }],
      {
        ...{ atMost: 100, expected: 9, perPage: 100 },
        why: '1 credit for each of 100 comments (maxComments); 9 expected',
      },
    ],
    ['expects no more than come', [comments, post, { expectedItems: 150 }], { atMost: 100, expected: 100 }],
    [
      'has no maximum for reactions',
      ['professionalnet.posts.reactions', {}],
      { ...unknown, perPage: null, why: perReaction },
    ],
    [
      'has no maximum for reactions, however many are expected on however many pages',
      ['professionalnet.posts.reactions', {}, { expectedItems: 250, maxPages: 3 }],
      { atMost: null, expected: 250, perPage: null, why: `${perReaction}; 250 expected` },
    ],
    [
      'is 0 for free calls',
      ['mentions.list'],
      { atMost: 0, expected: 0, perPage: 0, duration: null, why: 'mentions.list is free' },
    ],
    ['is 0 for a free call by the id of a record', ['mentions.get', 'men_1'], { atMost: 0 }],
  ])('%s', (_, args, expected) => {
    expect(quote(...args)).toMatchObject(expected)
  })

  it('counts the items of a bound also at a price of 0', () => {
    const { why } = quoting({ prices: { [comments]: 0 } })(comments, { ...post, maxComments: 250 })
    expect(why).toContain('250 comments (maxComments)')
  })

  const shared = { perMinute: 5, windowMs: 10_000 }
  it.each<[pages: number, minutes: number | null, Partial<ClientOptions>?, operation?: string]>([
    ...[1, 20].map((pages): [number, number] => [pages, 0]),
    ...[21, 40].map((pages): [number, number] => [pages, 1]),
    ...[41, 50].map((pages): [number, number] => [pages, 2]),
    [21, 2, { limits: { perMinute: 10 } }],
    [1000, 0, { limits: { perMinute: false } }],
    [1000, null, { limits: { surfaces: { [search]: null } } }],
    [21, 1, { limits: { surfaces: { 'mentions.list': 'mine' } } }],
    [21, 1, { limits: { surfaces: { 'mentions.list': 'mine' } } }, 'mentions.list'],
    [1000, null, {}, 'mentions.list'],
    [
      11,
      1 / 3,
      { limiter: new SharedLimiter({ store: memoryStore(), organization: 'acme', limits: shared }) },
    ],
  ])('has the time of %i pages, all at once or a minute each limit: %s min with %j', (...row) => {
    const [maxPages, minutes, options, operation = search] = row
    const { duration } = quoting(options)(operation, query, { maxPages })
    expect(duration).toBe(minutes && minutes * 60_000)
  })

  it.each<[string, Parameters<typeof quote>, name: string, message: string]>([
    [
      'pages of a call without pages',
      ['professionalnet.company.get', { url: 'u' }, { maxPages: 2 }],
      'ConfigurationError',
      'professionalnet.company.get: has no pages; leave maxPages out, got 2',
    ],
    [
      'an unknown option',
      [search, query, { pages: 1 } as never],
      'ConfigurationError',
      'unknown option pages',
    ],
    ['an unknown call', ['microblog.find'], 'ConfigurationError', 'unknown operation microblog.find'],
    ['half a page', [search, query, { maxPages: 0.5 }], 'ConfigurationError', 'whole number'],
    ['params that the call would refuse', [search, { query: '' }], 'InvalidRequestError', 'query'],
    ['a lookup without an id', ['mentions.get'], 'InvalidRequestError', 'id'],
  ])('refuses %s', (_, args, name, message) => {
    const error = { name, message: expect.stringContaining(message) as string }
    expect(() => quote(...args)).toThrow(expect.objectContaining(error))
  })
})
