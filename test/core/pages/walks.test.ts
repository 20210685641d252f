import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { CreditBudget, PaginationError } from '../../../src/index.ts'
import { settle, useVirtualTime } from '../../support/clock.ts'
import { industries, networkPosts } from '../../support/pages.ts'
import { failure, makeClient, ok, scriptedService } from '../../support/service.ts'
import { walk } from '../../support/walk.ts'

const service = scriptedService()
beforeEach(useVirtualTime)
afterEach(() => vi.useRealTimers())

const bodies = () => service.arrivals.map(({ body }) => JSON.parse(body))

const posts = (page: number, ...urns: string[]) => ok(networkPosts(page, ...urns))

describe('professionalnet.posts.search()', () => {
  const search = (options = {}) => makeClient().professionalnet.posts.search({ query: 'q' }, options)

  it('requests page numbers until a page is empty, which is charged as well', async () => {
    service.script(posts(1, 'a', 'b'), posts(2, 'c'), posts(3))
    const client = makeClient()
    const { items } = await walk(client.professionalnet.posts.search({ query: 'q' }))
    expect(items.map(({ urn }) => urn)).toEqual(['a', 'b', 'c'])
    expect(bodies().map(({ page }) => page)).toEqual([undefined, 2, 3])
    expect(client.credits.spent).toBe(12)
  })

  it('does not treat a page with only invalid posts as the last one', async () => {
    const broken = ok({ requestId: 'r', posts: [{}], meta: { returnedCount: 1, page: 1 } })
    service.script(broken, posts(2, 'a'), posts(3))
    expect((await walk(search({ validation: 'lenient' }))).items).toHaveLength(1)
  })

  it('buys no further page when limit or maxPages is reached', async () => {
    service.script(posts(1, 'a', 'b'), posts(2, 'c'))
    expect((await walk(search({ limit: 2 }))).items).toHaveLength(2)
    expect(service.arrivals).toHaveLength(1)
  })

  it.each([
    ['echoes another page', () => posts(1, 'c')],
    ['repeats the page before', () => posts(2, 'a', 'b')],
  ])('throws, and keeps the paid page on the error, when a page %s', async (_, second) => {
    service.script(posts(1, 'a', 'b'), second())
    const { items, error } = await walk(search())
    expect(items).toHaveLength(2)
    expect(error).toBeInstanceOf(PaginationError)
    expect((error as PaginationError).next).toEqual({ query: 'q', page: 2 })
    expect((error as PaginationError).page).toMatchObject({ requestId: 'r' })
    expect(service.arrivals).toHaveLength(2)
  })
})

describe('professionalnet.industries.list()', () => {
  const page = (number: number, pageCount?: number) => ok(industries(number, pageCount))
  const numberOf = (url: string) => Number(new URL(url).searchParams.get('page') ?? 1)

  it('fetches the remaining pages two at a time and yields them in order', async () => {
    let open = 0
    let peak = 0
    const fetch = async ({ url }: Request) => {
      peak = Math.max(peak, ++open)
      // The later of two pages answers first.
      await new Promise((resolve) => setTimeout(resolve, numberOf(url) % 2 === 0 ? 300 : 100))
      open--
      return page(numberOf(url))
    }
    const { items } = await walk(makeClient({ fetch }).professionalnet.industries.list())
    expect(items.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5])
    expect(peak).toBe(2)
  })

  it('fetches each page once', async () => {
    const asked: number[] = []
    const fetch = ({ url }: Request) => {
      asked.push(numberOf(url))
      return Promise.resolve(page(numberOf(url)))
    }
    await walk(makeClient({ fetch }).professionalnet.industries.list())
    expect(asked.sort()).toEqual([1, 2, 3, 4, 5])
  })

  it('prefetches no page beyond maxPages', async () => {
    service.script(page(1), page(2), page(3))
    const { items } = await walk(makeClient().professionalnet.industries.list({}, { maxPages: 2 }))
    expect(items.map(({ id }) => id)).toEqual([1, 2])
    expect(service.arrivals).toHaveLength(2)
  })

  it('fetches a page again when its prefetch failed', async () => {
    let failures = 0
    const fetch = async ({ url }: Request) => {
      if (numberOf(url) === 3 && failures++ === 0) return failure(502, 'upstream_error')
      await new Promise((resolve) => setTimeout(resolve, 100))
      return page(numberOf(url))
    }
    const { items } = await walk(makeClient({ fetch, retry: false }).professionalnet.industries.list())
    expect(items.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5])
  })

  it('stops when the count of pages shrinks', async () => {
    service.script(page(1, 9), page(2, 2), page(3, 2))
    const { items, error } = await walk(makeClient().professionalnet.industries.list())
    expect(error).toBeUndefined()
    expect(items.map(({ id }) => id)).toEqual([1, 2])
  })
})

describe('professionalnet.posts.comments()', () => {
  const comment = {
    profileUrl: '',
    authorName: '',
    authorHeadline: '',
    text: 'x',
    timestamp: '',
    permalink: '',
  }
  const comments = (count: number, creditsCharged: unknown) =>
    ok({
      requestId: 'r',
      comments: Array.from({ length: count }, () => comment),
      meta: { returnedCount: count, creditsCharged },
    })
  const params = { postUrl: 'https://network.example/p/1' }

  it('reserves maxComments and settles to the charged credits', async () => {
    const budget = new CreditBudget(300)
    const client = makeClient({ budget })
    let reserved = 0
    service.script(() => {
      reserved = budget.reserved
      return comments(3, 3)
    })
    const { value } = await settle(
      client.professionalnet.posts.comments({ ...params, maxComments: 250 }).withResponse(),
    )
    expect(reserved).toBe(250)
    expect(value?.data.comments).toHaveLength(3)
    expect(value?.credits).toEqual({ spent: 3, uncertain: 0 })
    expect(budget.remaining).toBe(297)
  })

  it('is refused before sending when a budget could not cover the default of 100', async () => {
    const { error } = await settle(
      makeClient({ budget: new CreditBudget(99) }).professionalnet.posts.comments(params),
    )
    expect(error).toMatchObject({ name: 'CreditBudgetError', needed: 100, remaining: 99 })
    expect(service.arrivals).toHaveLength(0)
  })

  it.each([-1, 1.5, '3', null])(
    'counts credits as uncertain when the service reports %j',
    async (creditsCharged) => {
      service.script(comments(3, creditsCharged))
      const client = makeClient()
      const { error } = await settle(client.professionalnet.posts.comments(params, { validation: 'off' }))
      expect(error).toBeUndefined()
      expect(client.credits).toMatchObject({ spent: 0, uncertain: 100 })
      const strict = await settle(client.professionalnet.posts.comments(params))
      if (creditsCharged !== -1)
        expect(strict.error).toMatchObject({ name: 'InvalidResponseError', charged: 'unknown' })
    },
  )
})

describe('professionalnet.posts.reactions()', () => {
  const reactions = ok({ requestId: 'r', reactions: [{}, {}, {}], meta: { hasMore: false } })

  it('reserves credits for ceiling, and settles to the returned reactions', async () => {
    service.script(reactions)
    const client = makeClient({ budget: new CreditBudget(50) })
    expect((await settle(client.professionalnet.posts.reactions({}))).error).toMatchObject({ needed: 1000 })
    const { value } = await settle(client.professionalnet.posts.reactions({}, { ceiling: 50 }).withResponse())
    expect(value?.credits).toEqual({ spent: 3, uncertain: 0 })
  })

  it('counts credits as uncertain when the reactions cannot be counted', async () => {
    service.script(ok({ requestId: 'r', data: [] }))
    const client = makeClient()
    expect((await settle(client.professionalnet.posts.reactions({}, { ceiling: 7 }))).error).toBeUndefined()
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 7 })
  })
})

describe('a list whose shape is not documented', () => {
  const list = (options = {}) => makeClient().mentions.list({}, options)

  it('returns any body unchanged when awaited', async () => {
    service.script(ok({ requestId: 'r', data: { rows: [1] } }))
    expect((await settle(list())).value).toEqual({ requestId: 'r', data: { rows: [1] }, next: null })
  })

  it('is walked by the convention of the documented lists', async () => {
    service.script(
      ok({ requestId: 'r', mentions: [{ id: 'men_1' }], meta: { hasMore: true, nextCursor: 'A' } }),
      ok({ requestId: 'r', mentions: [{ id: 'men_2' }], meta: { hasMore: false } }),
    )
    expect((await walk(list())).items).toEqual([{ id: 'men_1' }, { id: 'men_2' }])
    expect(new URL(service.arrivals[1]!.url).search).toBe('?cursor=A')
  })

  it('names the expected and the found fields when the convention does not fit', async () => {
    service.script(ok({ requestId: 'r', data: [], total: 3 }))
    const { error } = await walk(list())
    expect(error).toBeInstanceOf(PaginationError)
    expect((error as Error).message).toMatch(/expected an array under mentions, found requestId, data, total/)
    service.script(ok({ requestId: 'r', mentions: [{}], meta: { total: 3 } }))
    const { items, error: second } = await walk(list())
    expect(items).toHaveLength(1)
    expect((second as Error).message).toMatch(/expected meta.hasMore, found meta.total/)
  })

  it('is walked by the option paging if it is set', async () => {
    service.script(
      ok({ requestId: 'r', data: { rows: [1, 2] }, after: 2 }),
      ok({ requestId: 'r', data: { rows: [3] } }),
    )
    const paging = {
      items: (body: Record<string, unknown>) => (body['data'] as { rows: number[] }).rows,
      next: (body: Record<string, unknown>) =>
        body['after'] === undefined ? null : { after: body['after'] },
    }
    expect((await walk(list({ paging }))).items).toEqual([1, 2, 3])
    expect(new URL(service.arrivals[1]!.url).search).toBe('?after=2')
  })

  it('returns the paid body when the option paging fails, and throws when it is walked', async () => {
    const bug = () => {
      throw new Error('bug')
    }
    service.script(ok({ requestId: 'r', mentions: [1], meta: { hasMore: true, nextCursor: 'A' } }))
    expect((await settle(list({ paging: { next: bug } }))).value).toMatchObject({ mentions: [1], next: null })
    const next = await walk(list({ paging: { next: bug } }))
    expect(next.items).toEqual([1])
    expect((next.error as Error).message).toMatch(/paging.next threw an error/)
    const big = () => ({ after: 1n })
    expect((await settle(list({ paging: { next: big } }))).value).toMatchObject({ mentions: [1], next: null })
    const { error } = await walk(list({ paging: { items: bug } }))
    expect((error as Error).message).toMatch(
      /expected what paging.items returns, found requestId, mentions, meta/,
    )
    expect((error as PaginationError).page).toMatchObject({ mentions: [1] })
  })

  it('checks each record by the caller’s schema, which may be asynchronous', async () => {
    service.script(ok({ requestId: 'r', rows: [{ id: 'men_1' }], meta: { hasMore: false } }))
    const schema = z.pipe(
      z.object({ id: z.string() }),
      z.transform(({ id }) => Promise.resolve(id.length)),
    )
    const call = makeClient().mentions.list({}, { schema, paging: { items: 'rows' } })
    expect((await walk(call)).items).toEqual([5])
  })

  it('refuses a response without records for the schema, and keeps it', async () => {
    service.script(ok({ requestId: 'r', data: [] }))
    const { error } = await settle(list({ schema: z.any() }))
    expect(error).toMatchObject({ name: 'InvalidResponseError', body: { requestId: 'r', data: [] } })
  })
})

describe('a call without pages', () => {
  it('is sent once, at once, and returns the output of the schema', async () => {
    service.script(ok({ requestId: 'r', name: 'Acme' }))
    const schema = z.pipe(
      z.object({ name: z.string() }),
      z.transform(({ name }) => name),
    )
    const call = makeClient().organization.context({}, { schema })
    expect((await settle(Promise.all([call, call]))).value).toEqual(['Acme', 'Acme'])
    const { value } = await settle(call.withResponse())
    expect(value).toMatchObject({ data: 'Acme', requestId: 'r', credits: { spent: 0, uncertain: 0 } })
    expect(service.arrivals).toHaveLength(1)
  })

  it.each([false, 0, 'text', {}])('ignores %j instead of a handler, like any promise', async (handler) => {
    service.script(ok({ requestId: 'r', name: 'Acme' }))
    const call = makeClient().organization.context()
    expect((await settle(call.then(handler as never))).value).toMatchObject({ name: 'Acme' })
  })

  it('has a timeout of 90 s if the service recommends it', async () => {
    const client = makeClient({ fetch: () => new Promise(() => {}) })
    const { error, ms } = await settle(
      client.professionalnet.company.get({ url: 'https://network.example/c' }),
    )
    expect(error).toMatchObject({ name: 'TimeoutError', charged: 'unknown' })
    expect(ms).toBe(90_000)
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
