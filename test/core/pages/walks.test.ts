import { describe, expect, it, vi } from 'vitest'
import { ResultCache } from '../../../src/extensions/cache/index.ts'
import { type ClientOptions, CreditBudget } from '../../../src/index.ts'
import { settle } from '../../support/clock.ts'
import { comments, networkPosts, page, postWith } from '../../support/pages.ts'
import { makeClient, ok, virtualService } from '../../support/service.ts'
import { walk } from '../../support/walk.ts'

const service = virtualService()

const posts = (page: number, ...urns: string[]) => ok(networkPosts(page, ...urns))
const networkSearch = (options: object = {}) =>
  makeClient().professionalnet.posts.search({ query: 'q' }, options)

describe('professionalnet.posts.comments()', () => {
  const get = (params: object, options: object, client: Partial<ClientOptions>) =>
    service.see(({ professionalnet }) => {
      const all = { postUrl: 'https://network.example/p/1', ...params }
      return professionalnet.posts.comments(all, options).withResponse()
    }, client)

  it('reserves maxComments and settles to the charged credits', async () => {
    const budget = new CreditBudget(300)
    let reserved = 0
    service.script(() => {
      reserved = budget.summary().reserved
      return ok(comments(3, 3))
    })
    const { value } = await get({ maxComments: 250 }, {}, { budget })
    expect(value).toMatchObject({ data: { comments: [{}, {}, {}] }, credits: { spent: 3, uncertain: 0 } })
    expect([reserved, budget.remaining]).toEqual([250, 297])
  })

  it('counts what it cost, and warns, when more comments come than maxComments allows', async () => {
    service.script(ok(comments(112, 112)))
    const budget = new CreditBudget(150)
    const warn = vi.fn()
    const counted = { spent: 112, uncertain: 0 }
    const seen = await get({}, {}, { budget, validation: 'off', logger: { warn } })
    expect(seen).toMatchObject({ value: { credits: counted }, ...counted, reserved: 0 })
    expect(budget.remaining).toBe(38)
    expect(warn.mock.calls).toMatchObject([[expect.stringContaining('12 more than was reserved'), {}]])
  })

  it.each<[asked: unknown, needed: number]>([
    [undefined, 100],
    [250, 250],
    // What the service documents as the most.
    ...['500', [500], null, 0, 150.5].map((asked): [unknown, number] => [asked, 1000]),
    // What it may take one day.
    [5000, 5000],
  ])('reserves the most that may come when extraParams ask for %j', async (asked, needed) => {
    const extraParams = asked === undefined ? {} : { maxComments: asked }
    const error = { code: 'credit_budget', budget: { needed } }
    const seen = await get({}, { extraParams }, { budget: new CreditBudget(needed - 1) })
    expect(seen).toMatchObject({ error, sent: 0 })
  })

  it('reserves no less for expectedItems, and the error names the smallest maxComments', async () => {
    const { error } = await get({}, { expectedItems: 9 }, { budget: new CreditBudget(9) })
    const budget = { needed: 100, remaining: 9, bound: { param: 'maxComments', least: 100 } }
    expect(error).toMatchObject({ budget, option: 'maxComments' })
    const said = /has 9 left; the smallest `maxComments` is 100; raise the budget$/
    expect((error as Error).message).toMatch(said)
  })
})

describe('professionalnet.posts.reactions()', () => {
  const react = (options: object, client: Partial<ClientOptions> = {}) =>
    service.see(({ professionalnet }) => professionalnet.posts.reactions({}, options).withResponse(), client)
  const reactions = (count: number, nextCursor?: string) => {
    const meta = { hasMore: nextCursor !== undefined, nextCursor }
    return ok({ requestId: 'r', reactions: Array.from({ length: count }, () => ({})), meta })
  }

  it.each<[string, () => PromiseLike<{ error: unknown }>, unknown, boolean]>([
    ['reactions() without it', () => react({}, { budget: new CreditBudget(1) }), null, true],
    [
      'reactions() with it',
      () => react({ expectedItems: 2 }, { budget: new CreditBudget(1) }),
      undefined,
      false,
    ],
    ['another call', () => service.search({ budget: new CreditBudget(1) }), undefined, false],
  ])('is told of expectedItems by a budget that refuses %s: %s', async (_, call, bound, isNamed) => {
    const { budget, message } = (await call()).error as { budget: { bound: unknown }; message: string }
    expect([budget.bound, message.includes('`expectedItems`')]).toEqual([bound, isNamed])
  })

  it('reserves credits for expectedItems, and settles to the returned reactions', async () => {
    service.script(reactions(3))
    const budget = new CreditBudget(50)
    expect((await react({}, { budget })).error).toMatchObject({ budget: { needed: 1000 } })
    expect(await react({ expectedItems: 50 }, { budget })).toMatchObject({ spent: 3, uncertain: 0 })
  })

  it('reserves for a page what is still expected, and 1 credit when all has come', async () => {
    const budget = new CreditBudget(9)
    const reserved: number[] = []
    const noting = (response: Response) => () => {
      reserved.push(budget.summary().reserved)
      return response
    }
    service.script(noting(reactions(5, 'a')), noting(reactions(4, 'b')))
    const call = makeClient({ budget }).professionalnet.posts.reactions({}, { expectedItems: 9 })
    const { items, error } = await walk(call)
    expect([items.length, reserved]).toEqual([9, [9, 4]])
    expect(error).toMatchObject({ budget: { needed: 1, remaining: 0 } })
  })

  it('counts credits as uncertain when the reactions cannot be counted', async () => {
    service.script(ok({ requestId: 'r', data: [] }))
    expect(await react({ expectedItems: 7 })).toMatchObject({ error: undefined, spent: 0, uncertain: 7 })
  })
})

describe('a walk', () => {
  it('does not treat a page with only invalid posts as the last one', async () => {
    const broken = ok({ requestId: 'r', posts: [{}], meta: { returnedCount: 1, page: 1 } })
    service.script(broken, posts(2, 'a'), posts(3))
    expect((await walk(networkSearch({ validation: 'lenient' }))).items).toHaveLength(1)
  })

  it('ends when a page has the posts of the one before, whatever their counters', async () => {
    const grown = { ...page(['1', '2'], 'B'), posts: ['1', '2'].map((id) => postWith(id, { viewsCount: 9 })) }
    service.script(ok(page(['1', '2'], 'A')), ok(grown), ok(page(['3'])))
    const { items, error } = await walk(makeClient().microblog.search({ query: 'rust' }))
    expect([items.length, error]).toMatchObject([2, { name: 'PaginationError', next: { cursor: 'A' } }])
  })

  it('continues when its reader empties the pages', async () => {
    service.script(posts(1, 'a'), posts(2, 'b'), posts(3, 'c'), posts(4, 'd'), posts(5))
    const taken: string[] = []
    const read = async () => {
      for await (const page of networkSearch().pages())
        taken.push(...page.posts.splice(0).map(({ urn }) => urn))
    }
    await settle(read())
    expect(taken).toEqual(['a', 'b', 'c', 'd'])
  })

  it.each([
    ['different posts to the same value', 'a post'],
    ['posts to values that JSON cannot hold', 1n],
  ])('continues when a schema maps %s', async (_, value) => {
    service.script(posts(1, 'a'), posts(2, 'b'), posts(3))
    const schema = { '~standard': { version: 1, vendor: 'test', validate: () => ({ value }) } }
    expect(await walk(networkSearch({ schema }))).toEqual({ items: [value, value], error: undefined })
  })

  it('accepts a bigint in a query, and returns params of the next page as plain JSON', async () => {
    service.script(ok({ requestId: 'r', mentions: [{}], meta: { hasMore: true, nextCursor: 'c' } }))
    const { value } = await service.see(({ mentions }) => mentions.list({ since: 10n, ids: [1n] }))
    expect(value?.next).toEqual({ since: '10', ids: ['1'], cursor: 'c' })
  })

  it('is not affected when paging.next changes its params', async () => {
    service.script(() => ok({ requestId: 'r', mentions: [service.arrivals.length] }))
    const next = (_: unknown, params: Record<string, unknown>) => {
      params['offset'] = Number(params['offset'] ?? 0) + 1
      return Number(params['offset']) < 3 ? params : (undefined as never)
    }
    const { items, error } = await walk(makeClient().mentions.list({ offset: 0 }, { paging: { next } }))
    expect([items, error]).toEqual([[1, 2, 3], undefined])
  })
})

// The rows of the fault catalogue on paging have all of them, with what they cost.
it('PaginationError has the attempt and the requestId of a paid page, which is not charged again from a cache', async () => {
  service.script(() => ok({ ...page(['0']), meta: { returnedCount: 1, hasMore: true } }))
  const client = makeClient({ cache: new ResultCache({ maxAge: 60_000 }) })
  const errorOf = async () => (await walk(client.microblog.search({ query: 'q' }))).error
  const attempts = [{ charged: 'yes', status: 200 }]
  expect(await errorOf()).toMatchObject({ charged: 'yes', requestId: 'req_0', attempts })
  expect(await errorOf()).toMatchObject({ charged: 'no' })
  expect(service.arrivals).toHaveLength(1)
})
