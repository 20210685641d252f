import { describe, expect, it } from 'vitest'
import { query, setUp } from './set-up.ts'

const sent = async (
  args: unknown,
  tool: 'microblog_search' | 'professionalnet_posts_search' = 'microblog_search',
) => {
  const { tools, sandbox } = setUp()
  const { ok, error } = await tools[tool].execute(args)
  return { ok, error, body: sandbox.requests[0]?.body }
}
const list = ['a', 'b']
const none = { count: null, filters: null, next: null, summary: null, pages: null }
const jsonText = { query: '5', filters: { exactSentence: '["a"]' } }

describe('execute() understands what clients of models send', () => {
  it('null for its options', async () => {
    const { tools } = setUp()
    expect(await tools.microblog_search.execute({ query }, null as never)).toMatchObject({ ok: true })
  })

  it.each([
    ['null for optional arguments', { query, ...none }, {}],
    ['null within an object', { query, filters: { lang: 'en', since: null } }, { filters: { lang: 'en' } }],
    ['an object as JSON text', { query, filters: '{"lang":"en"}' }, { filters: { lang: 'en' } }],
    ['a list as JSON text', { query, filters: { hashtags: '["a","b"]' } }, { filters: { hashtags: list } }],
    ['one element for a list', { query, filters: { hashtags: 'a' } }, { filters: { hashtags: ['a'] } }],
    ['numbers as text', { query, count: '5' }, { count: 5 }],
    ['flags as text', { query, filters: { removeReplies: 'true' } }, { filters: { removeReplies: true } }],
    ['all arguments as JSON text', JSON.stringify({ query, count: 5 }), { count: 5 }],
    ['texts that look like JSON', jsonText, jsonText],
  ])('%s', async (_, args, body) => {
    expect(await sent(args)).toEqual({ ok: true, error: undefined, body: { query, ...body } })
  })

  it('a lone number, or numbers as text, for a list of numbers', async () => {
    const tool = 'professionalnet_posts_search'
    for (const author_industry of [4, '4', '[4]', ['4']])
      expect((await sent({ query, author_industry }, tool)).body).toEqual({ query, author_industry: [4] })
  })

  it('no arguments where none is required', async () => {
    for (const args of [undefined, null, ''])
      expect((await setUp().tools.organization_usage.execute(args)).ok).toBe(true)
  })

  it('pages as text, and its own `next` beside null', async () => {
    const { tools } = setUp({ maxResult: 100_000 })
    const { items, next } = await tools.microblog_search.execute({ query, pages: '2', filters: null })
    expect(items).toHaveLength(40)
    expect((await tools.microblog_search.execute({ query, next, pages: null })).ok).toBe(true)
  })
})

it('inputSchema validates and returns arguments as execute() reads them', async () => {
  const { inputSchema } = setUp().tools.microblog_search
  const given = { query, filters: '{"lang":"en"}', count: null }
  const value = { query, filters: { lang: 'en' } }
  expect(await inputSchema['~standard'].validate(given)).toEqual({ value })
})
