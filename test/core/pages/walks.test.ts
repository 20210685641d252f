import { describe, expect, it, vi } from 'vitest'
import { CreditBudget, type CreditBudgetError } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { comments, networkPosts } from '../../support/pages.ts'
import { makeClient, ok, scriptedService } from '../../support/service.ts'
import { walk } from '../../support/walk.ts'

const service = scriptedService()
virtualTime()

const bodies = () => service.arrivals.map(({ body }) => JSON.parse(body))

const posts = (page: number, ...urns: string[]) => ok(networkPosts(page, ...urns))

describe('professionalnet.posts.search()', () => {
  const search = (options = {}) => makeClient().professionalnet.posts.search({ query: 'q' }, options)

  it('does not treat a page with only invalid posts as the last one', async () => {
    const broken = ok({ requestId: 'r', posts: [{}], meta: { returnedCount: 1, page: 1 } })
    service.script(broken, posts(2, 'a'), posts(3))
    expect((await walk(search({ validation: 'lenient' }))).items).toHaveLength(1)
  })
})

describe('professionalnet.posts.comments()', () => {
  const params = { postUrl: 'https://network.example/p/1' }

  it('reserves maxComments and settles to the charged credits', async () => {
    const budget = new CreditBudget(300)
    const client = makeClient({ budget })
    let reserved = 0
    service.script(() => {
      reserved = budget.summary().reserved
      return ok(comments(3, 3))
    })
    const { value } = await settle(
      client.professionalnet.posts.comments({ ...params, maxComments: 250 }).withResponse(),
    )
    expect(reserved).toBe(250)
    expect(value?.data.comments).toHaveLength(3)
    expect(value?.credits).toEqual({ spent: 3, uncertain: 0 })
    expect(budget.remaining).toBe(297)
  })

  it('counts what it cost, and warns, when more comments come than maxComments allows', async () => {
    service.script(ok(comments(112, 112)))
    const budget = new CreditBudget(150)
    const warn = vi.fn()
    const client = makeClient({ budget, validation: 'off', logger: { warn } })
    const call = client.professionalnet.posts.comments(params)
    expect((await settle(call.withResponse())).value?.credits).toEqual({ spent: 112, uncertain: 0 })
    expect(client.credits).toMatchObject({ spent: 112, uncertain: 0, reserved: 0 })
    expect(budget.remaining).toBe(38)
    expect(warn.mock.calls).toMatchObject([[expect.stringContaining('12 more than was reserved'), {}]])
  })

  it.each<[asked: unknown, needed: number]>([
    [undefined, 100],
    [250, 250],
    // What the service documents as the most.
    ['500', 1000],
    [[500], 1000],
    [null, 1000],
    [0, 1000],
    [150.5, 1000],
    // What it may take one day.
    [5000, 5000],
  ])('reserves the most that may come when extraParams ask for %j', async (asked, needed) => {
    const client = makeClient({ budget: new CreditBudget(needed - 1) })
    const options = { extraParams: asked === undefined ? {} : { maxComments: asked } }
    const { error } = await settle(client.professionalnet.posts.comments(params, options))
    expect(error).toMatchObject({ code: 'credit_budget', budget: { needed } })
    expect(service.arrivals).toEqual([])
  })
})

describe('expectedItems', () => {
  it('lowers nothing that comments() reserves, and the error names the smallest maxComments', async () => {
    const client = makeClient({ budget: new CreditBudget(9) })
    const options = { expectedItems: 9 } as object
    const { error } = await settle(client.professionalnet.posts.comments({ postUrl: 'u' }, options))
    expect(error).toMatchObject({
      budget: { needed: 100, remaining: 9, bound: { param: 'maxComments', least: 100 } },
      option: 'maxComments',
      message: expect.stringMatching(/has 9 left; the smallest `maxComments` is 100; raise the budget$/),
    })
  })

  it('is named by the error of reactions() that does not set it, and of no other call', async () => {
    const { microblog, professionalnet } = makeClient({ budget: new CreditBudget(1) })
    const refusal = async (call: PromiseLike<unknown>) => {
      const { budget, message } = (await settle(call)).error as CreditBudgetError
      return [budget.bound, message.includes('`expectedItems`')]
    }
    expect([
      await refusal(professionalnet.posts.reactions({})),
      await refusal(professionalnet.posts.reactions({}, { expectedItems: 2 })),
      await refusal(microblog.search({ query: 'q' })),
    ]).toEqual([
      [null, true],
      [undefined, false],
      [undefined, false],
    ])
  })
})

describe('professionalnet.posts.reactions()', () => {
  const reactions = ok({ requestId: 'r', reactions: [{}, {}, {}], meta: { hasMore: false } })

  it('reserves credits for expectedItems, and settles to the returned reactions', async () => {
    service.script(reactions)
    const client = makeClient({ budget: new CreditBudget(50) })
    expect((await settle(client.professionalnet.posts.reactions({}))).error).toMatchObject({
      budget: { needed: 1000 },
    })
    const { value } = await settle(
      client.professionalnet.posts.reactions({}, { expectedItems: 50 }).withResponse(),
    )
    expect(value?.credits).toEqual({ spent: 3, uncertain: 0 })
  })

  it('reserves for a page what is still expected, and 1 credit when all has come', async () => {
    const page = (count: number, nextCursor?: string) =>
      ok({
        requestId: 'r',
        reactions: Array.from({ length: count }, () => ({})),
        meta: { hasMore: nextCursor !== undefined, nextCursor },
      })
    const budget = new CreditBudget(9)
    const reserved: number[] = []
    const noting = (response: Response) => () => {
      reserved.push(budget.summary().reserved)
      return response
    }
    service.script(noting(page(5, 'a')), noting(page(4, 'b')))
    const call = makeClient({ budget }).professionalnet.posts.reactions({}, { expectedItems: 9 })
    const { items, error } = await walk(call)
    expect(items).toHaveLength(9)
    expect(reserved).toEqual([9, 4])
    expect(error).toMatchObject({ budget: { needed: 1, remaining: 0 } })
  })

  it('counts credits as uncertain when the reactions cannot be counted', async () => {
    service.script(ok({ requestId: 'r', data: [] }))
    const client = makeClient()
    expect(
      (await settle(client.professionalnet.posts.reactions({}, { expectedItems: 7 }))).error,
    ).toBeUndefined()
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 7 })
  })
})

describe('a walk', () => {
  const standard = (validate: (value: unknown) => { value: unknown }) =>
    ({ '~standard': { version: 1, vendor: 'test', validate } }) as const

  it('continues when its reader empties the pages', async () => {
    service.script(posts(1, 'a'), posts(2, 'b'), posts(3, 'c'), posts(4, 'd'), posts(5))
    const search = makeClient().professionalnet.posts.search({ query: 'q' })
    const { value: urns } = await settle(
      (async () => {
        const taken: string[] = []
        for await (const page of search.pages()) taken.push(...page.posts.splice(0).map(({ urn }) => urn))
        return taken
      })(),
    )
    expect(urns).toEqual(['a', 'b', 'c', 'd'])
  })

  it.each([
    ['maps different posts to the same value', () => ({ value: 'a post' })],
    ['maps posts to values that JSON cannot hold', () => ({ value: 1n })],
  ])('continues when a schema %s', async (_, validate) => {
    service.script(posts(1, 'a'), posts(2, 'b'), posts(3))
    const search = makeClient().professionalnet.posts.search({ query: 'q' }, {
      schema: standard(validate),
    } as never)
    const { items, error } = await walk(search)
    expect([items.length, error]).toEqual([2, undefined])
  })

  it('sends the result of toJSON(), as a call without pages does', async () => {
    service.script(ok({ requestId: 'r', posts: [] }))
    class Day {
      readonly date = new Date(0)
      toJSON(): string {
        return '1970-01-01'
      }
    }
    await settle(makeClient().technews.search({ since: new Day() }))
    expect(bodies()).toEqual([{ since: '1970-01-01' }])
  })

  it('accepts a bigint in a query, and returns params of the next page as plain JSON', async () => {
    service.script(ok({ requestId: 'r', mentions: [{}], meta: { hasMore: true, nextCursor: 'c' } }))
    const { value } = await settle(makeClient().mentions.list({ since: 10n, ids: [1n] }))
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
