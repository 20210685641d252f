import { describe, expect, it } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.ts'
import { refused, unpaced } from './helpers.ts'

const invalid: readonly (readonly [what: string, params: unknown, paths: readonly string[]])[] = [
  ['the query is missing', {}, ['query']],
  ['the query is empty', { query: '' }, ['query']],
  ['the query has 201 characters', { query: 'x'.repeat(201) }, ['query']],
  ['the count is 21', { query: 'x', count: 21 }, ['count']],
  ['the count is a fraction', { query: 'x', count: 1.5 }, ['count']],
  ['the category is unknown', { query: 'x', category: 'Newest' }, ['category']],
  ['a field is not documented', { query: 'x', page: 2 }, ['page']],
  ['a filter is not documented', { query: 'x', filters: { colour: 'red' } }, ['filters.colour']],
  ['the language is too long', { query: 'x', filters: { lang: 'x'.repeat(33) } }, ['filters.lang']],
  ['an item is not a string', { query: 'x', filters: { hashtags: ['a', 1] } }, ['filters.hashtags.1']],
  [
    'since and until are not times',
    { query: 'x', filters: { since: 'soon', until: '12/24/2026' } },
    ['filters.since', 'filters.until'],
  ],
  ['the cursor is too long', { query: 'x', cursor: 'x'.repeat(1025) }, ['cursor']],
  ['the cursor is made up', { query: 'x', cursor: 'bm90IGEgY3Vyc29y' }, ['cursor']],
  ['the cursor is not base64', { query: 'x', cursor: '%%%' }, ['cursor']],
  [
    'several fields are wrong',
    { query: 1, count: 0, filters: { minimumLikesCount: -1 } },
    ['query', 'count', 'filters.minimumLikesCount'],
  ],
  ['the body is not an object', ['x'], ['']],
  ['the body is not JSON', '{"query":', ['']],
  ['the body is empty', '', ['']],
]

describe('createSandbox() fetch', () => {
  it.each(invalid)('answers 400 naming the fields when %s', async (_, params, paths) => {
    const sandbox = createSandbox()
    const { status, body } = await refused(sandbox, params)
    expect(status).toBe(400)
    expect(body.error.code).toBe('validation_error')
    expect(body.error.issues?.map(({ path }) => path).sort()).toEqual([...paths].sort())
    for (const path of paths) expect(body.error.message).toContain(path)
    expect(sandbox.ledger.spent).toBe(0)
  })

  it.each([
    ['has 60,000 unknown fields', Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`k${i}`, 1]))],
    ['has an unknown field with a name of 600 kB', { ['k'.repeat(600_000)]: 1 }],
  ])('answers 400 in less than 10 kB when a body %s', async (_, params) => {
    const { status, body } = await refused(createSandbox(), params)
    expect(status).toBe(400)
    expect(JSON.stringify(body).length).toBeLessThan(10_000)
  })

  it('accepts values at the documented bounds', async () => {
    const sandbox = unpaced()
    const many = (items: number, length: number) => Array.from({ length: items }, () => 'x'.repeat(length))
    for (const params of [
      { query: 'x'.repeat(200), count: 1 },
      { query: 'x', count: 20, filters: {} },
      {
        query: 'x',
        filters: { lang: 'x'.repeat(32), exactSentence: 'x'.repeat(512), anyOfTheseWords: many(50, 200) },
      },
      {
        query: 'x',
        filters: { hashtags: many(30, 200), fromTheseAccounts: many(30, 100), minimumRepliesCount: 0 },
      },
      { query: 'x', filters: { linksInclude: 'x'.repeat(200), geocode: 'x'.repeat(120), radius: 2.5 } },
    ]) {
      expect((await refused(sandbox, params)).status).toBe(200)
    }
  })

  it('answers 413 when the body exceeds 1 MiB', async () => {
    const sandbox = createSandbox()
    const { status, body } = await refused(sandbox, { query: 'x'.repeat(1024 * 1024) })
    expect([status, body.error.code]).toEqual([413, 'payload_too_large'])
  })
})
