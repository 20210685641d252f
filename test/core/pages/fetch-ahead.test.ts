import { describe, expect, it } from 'vitest'
import type { PagedOptions } from '../../../src/index.ts'
import { virtualTime } from '../../support/clock.ts'
import { industries } from '../../support/pages.ts'
import { failure, makeClient, ok } from '../../support/service.ts'
import { walk } from '../../support/walk.ts'

virtualTime()

const slowly = <T>(value: T) => new Promise<T>((resolve) => setTimeout(() => resolve(value), 100))

/** A service that takes a moment for each page: pages asked for, and the most that were open at once. */
function slowPages() {
  const asked: number[] = []
  let open = 0
  const observed = { asked, peak: 0 }
  const fetch = async ({ url }: Request): Promise<Response> => {
    const page = Number(new URL(url).searchParams.get('page') ?? 1)
    asked.push(page)
    observed.peak = Math.max(observed.peak, ++open)
    const answer = await slowly(ok(industries(page)))
    open--
    return answer
  }
  return { observed, list: makeClient({ fetch }).professionalnet.industries.list }
}

describe('professionalnet.industries.list()', () => {
  it('fetches the last two pages at once when maxPages ends the walk', async () => {
    const { observed, list } = slowPages()
    await walk(list({}, { maxPages: 3 }))
    expect(observed).toEqual({ asked: [1, 2, 3], peak: 2 })
  })

  it('yields the page that paging.next names when another page was fetched ahead', async () => {
    const { list } = slowPages()
    const next = (_: unknown, { page = 1 }: { page?: number }) => (page < 5 ? { page: page + 2 } : null)
    const { items } = await walk(list({}, { paging: { next } } as PagedOptions))
    expect(items.map(({ id }) => id)).toEqual([1, 3, 5])
  })

  it.each([
    ['retry is false', { retry: false }, 100],
    ['its deadline passes', { deadline: 50 }, 50],
  ] as const)('sends a page once, fetched ahead, when it fails at its turn as %s', async (_, options, ms) => {
    const asked: number[] = []
    const fetch = async ({ url }: Request): Promise<Response> => {
      const page = Number(new URL(url).searchParams.get('page') ?? 1)
      asked.push(page)
      return page < 3 ? ok(industries(page)) : slowly(failure(502, 'upstream_error'))
    }
    const start = performance.now()
    const { items, error } = await walk(makeClient({ fetch, ...options }).professionalnet.industries.list())
    expect([items.length, error]).toEqual([2, expect.objectContaining({ next: { page: 3 } })])
    expect([asked, performance.now() - start]).toEqual([[1, 2, 3, 4], ms])
  })

  it('sends a page that failed ahead of its turn before the page after it', async () => {
    const asked: number[] = []
    const fetch = ({ url }: Request): Promise<Response> => {
      const page = Number(new URL(url).searchParams.get('page') ?? 1)
      const hasFailed = asked.includes(3)
      asked.push(page)
      if (page === 3 && !hasFailed) return Promise.resolve(failure(502, 'upstream_error'))
      return slowly(ok(industries(page)))
    }
    await walk(makeClient({ fetch, retry: false }).professionalnet.industries.list())
    expect(asked).toEqual([1, 2, 3, 3, 4, 5])
  })

  it('continues after a body of null when paging.next names the next page', async () => {
    const fetch = ({ url }: Request): Promise<Response> =>
      slowly(url.includes('page') ? ok(industries(2, 2)) : ok('null'))
    const next = (body: unknown) => (body === null ? { page: 2 } : null)
    const list = makeClient({ fetch, validation: 'off' }).professionalnet.industries.list
    const { items, error } = await walk(list({}, { paging: { next } } as PagedOptions).pages())
    expect([items.length, error]).toEqual([2, undefined])
  })
})

describe('mentions.list()', () => {
  it('fetches no page ahead when its cursors are numbers and it names a count of pages', async () => {
    const asked: string[] = []
    const fetch = ({ url }: Request): Promise<Response> => {
      asked.push(new URL(url).search)
      const page = asked.length
      const meta = { pageCount: 9, hasMore: page < 3, nextCursor: String(page + 1) }
      return slowly(ok({ requestId: 'r', mentions: [{ id: page }], meta }))
    }
    await walk(makeClient({ fetch }).mentions.list())
    expect(asked).toEqual(['', '?cursor=2', '?cursor=3'])
  })
})
