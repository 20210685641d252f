import { describe, expect, it } from 'vitest'
import { cutText } from '../../src/extensions/tools/compact.ts'
import { query, setUp } from './set-up.ts'

const rich = Array.from({ length: 20 }, (_, n) => ({
  id: `men_${n}`,
  ...Object.fromEntries(
    Array.from({ length: 8 }, (_, field) => [`field${field}`, 'lorem ipsum '.repeat(100)]),
  ),
}))

const listing = (mentions: object[], options = {}) => {
  const { sandbox, tools } = setUp(options)
  const body = { requestId: 'r', mentions, meta: { hasMore: false } }
  sandbox.inject({ operation: 'mentions.list', body })
  return { sandbox, list: tools.mentions_list, get: tools.mentions_get }
}

describe('execute() keeps a result short', () => {
  it('of rich records, and leads to all others with next, for free', async () => {
    const { sandbox, list } = listing(rich)
    const ids: unknown[] = []
    for (let next: string | null | undefined; next !== null;) {
      const result = await list.execute(next === undefined ? {} : { next })
      expect(JSON.stringify(result).length).toBeLessThan(20_000)
      if (result.next !== null) expect(result.notice).toContain('`next` leads to the others')
      ids.push(...(result.items ?? []).map(({ id }) => id))
      next = result.next ?? null
    }
    expect(ids).toEqual(rich.map(({ id }) => id))
    expect(sandbox.requests).toHaveLength(1)
  })

  it('of one record with more than fits, and names the fields that are left out', async () => {
    const record = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`text${n}`, '"'.repeat(5000)]))
    const { list } = listing([{ id: 'men_1', ...record }])
    const result = await list.execute({})
    expect(JSON.stringify(result).length).toBeLessThan(24_000)
    expect(result.items?.[0]?.['left_out']).toContain('text12')
  })

  it('of a record that is nested too deep, and names the field that is left out', async () => {
    const nested = (levels: number): unknown => (levels === 0 ? 'in' : { in: nested(levels - 1) })
    const { list } = listing([{ id: 'men_1', shallow: nested(5), deep: nested(6) }])
    const { items } = await list.execute({})
    expect(items).toMatchObject([{ shallow: nested(5), left_out: ['deep'] }])
  })

  it('with a summary of rich records', async () => {
    const result = await listing(rich).list.execute({ summary: 'author' })
    expect(JSON.stringify(result).length).toBeLessThan(20_000)
    expect(result.returned).toBe(20)
  })

  it('with fewer posts of several pages, of which it pays for no further one', async () => {
    const { sandbox, tools } = setUp({ maxResult: 6000 })
    const { items, next } = await tools.microblog_search.execute({ query, pages: 10 })
    expect([items?.length, sandbox.ledger.spent, typeof next]).toEqual([expect.any(Number), 2, 'string'])
    expect(items?.length).toBeLessThan(20)
  })
})

describe('cutText()', () => {
  it.each([
    ['👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 15, '👩‍👩‍👧‍👦…'],
    ['e\u0301e\u0301e\u0301', 4, 'e\u0301…'],
    ['🇩🇪🇫🇷🇯🇵', 9, '🇩🇪🇫🇷…'],
    ['abcdef', 4, 'abc…'],
    ['abcd', 4, 'abcd'],
    // No letter that people see as one is kept whole if it has hundreds of accents.
    [`a${'\u0301'.repeat(200)}`, 100, `a${'\u0301'.repeat(98)}…`],
  ])('cuts %s to %i characters between those that people see', (text, most, cut) => {
    expect(cutText(text, most)).toBe(cut)
  })
})
