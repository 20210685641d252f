import { describe, expect, it } from 'vitest'
import { SocialSearch } from '../../src/index.ts'
import { createSandbox } from '../support/sandbox.ts'
import { createTools } from '../../src/extensions/tools/index.ts'
import { post } from '../support/pages.ts'

type Posts = { author: string; timestamp: string }[]

function setUp(posts: Posts) {
  const microblog = posts.map((post, index) => ({ ...post, id: String(index), body: 'coffee' }))
  const sandbox = createSandbox({ content: { microblog }, limits: { perMinute: false } })
  const client = new SocialSearch(sandbox.clientOptions())
  return { sandbox, search: createTools({ client, budget: 50, maxItems: 15 }).microblog_search }
}

const at = (day: number): string => new Date(Date.UTC(2026, 10, day, 23, 59, 30)).toISOString()
const query = 'coffee'

/** 30 posts: on Sunday the 1st by ada, and on each of the following days by others. */
const posts = Array.from({ length: 30 }, (_, n) => ({
  author: n < 3 ? 'ada' : `author${n}`,
  timestamp: at(n < 3 ? 1 : 1 + (n % 9)),
}))

describe('execute() with summary', () => {
  it('counts the items of all pages by day, at the price of the pages', async () => {
    const { sandbox, search } = setUp(posts)
    const result = await search.execute({ query, pages: 5, summary: 'day' })
    expect(result).toMatchObject({
      ...{ returned: 30, pages: 2, next: null, credits: { spent: 4 } },
      oldest: '2026-11-01T23:59Z',
      newest: '2026-11-09T23:59Z',
    })
    expect(result.counts).toEqual([
      ...Array.from({ length: 8 }, (_, n) => [`2026-11-0${9 - n}`, 3]),
      ['2026-11-01', 6],
    ])
    expect(result.items).toHaveLength(5)
    expect(sandbox.ledger.spent).toBe(4)
  })

  it('names a week by its Monday', async () => {
    const { counts } = await setUp(posts).search.execute({ query, pages: 2, summary: 'week' })
    expect(counts).toEqual([
      ['2026-11-09', 3],
      ['2026-11-02', 21],
      ['2026-10-26', 6],
    ])
  })

  it('puts the authors with most posts first, and adds up the others', async () => {
    const many = [
      ...posts.slice(0, 3),
      ...Array.from({ length: 37 }, (_, n) => ({ author: `author${n}`, timestamp: at(1) })),
    ]
    const { counts } = await setUp(many).search.execute({ query, pages: 2, summary: 'author' })
    expect(counts?.[0]).toEqual(['ada', 3])
    expect(counts).toHaveLength(32)
    expect(counts?.at(-1)).toEqual(['(others)', 7])
  })

  it('has a handle that returns the counted posts for free', async () => {
    const { sandbox, search } = setUp(posts)
    const { details } = await search.execute({ query, pages: 2, summary: 'author' })
    const urls = new Set<unknown>()
    for (let next: string | null | undefined = details; typeof next === 'string';) {
      const result = await search.execute({ query, next })
      for (const { url } of result.items ?? []) urls.add(url)
      next = result.next
    }
    expect([urls.size, sandbox.ledger.spent]).toEqual([30, 4])
  })

  it('counts items whose time cannot be read as unknown', async () => {
    const { sandbox, search } = setUp(posts)
    const meta = { returnedCount: 1, hasMore: false }
    const body = { requestId: 'r', posts: [{ ...post('1'), timestamp: 'soon' }], meta }
    sandbox.inject({ operation: 'microblog.search', body })
    const result = await search.execute({ query, summary: 'week' })
    expect(result).toMatchObject({ ok: true, returned: 1, counts: [['(unknown)', 1]] })
    expect(result).not.toHaveProperty('oldest')
  })
})
