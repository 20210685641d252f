import { describe, expect, it, vi } from 'vitest'
import { social, useCommand } from './command.ts'

describe('quote', () => {
  useCommand()

  it.each<[string, object]>([
    ['search --max-pages 50', { atMost: 100, duration: 120_000, why: '2 credits a page for 50 pages' }],
    ['search coffee', { atMost: 2, expected: 2 }],
    ['search coffee --limit 50', { atMost: null, expected: 6, perPage: 2 }],
    ['search coffee --limit 50 --max-pages 9', { atMost: 18, expected: 6 }],
    ['microblog.search --all', { atMost: null, perPage: 2, duration: null }],
    ['comments URL --expect 9', { atMost: 100, expected: 9 }],
    ['comments URL --expect 0', { atMost: 100, expected: 1 }],
    ['comments URL --expect 150', { atMost: 150, expected: 150 }],
    ['comments URL --expect 1500', { atMost: 1000, expected: 1000 }],
    [`comments --params '{"maxComments":100}' --expect 150`, { atMost: 100, expected: 100 }],
    [`comments --params '{"maxComments":500}'`, { atMost: 500 }],
    ['reactions', { atMost: null, expected: null }],
    ['reactions --expect 9 --all', { atMost: null, expected: 9, duration: null }],
    ['professionalnet person posts', { atMost: 10 }],
    ['mentions.list --all', { atMost: 0, duration: null }],
  ])('prints what a job costs and how long it takes at least, without an account: %s', async (job, quote) => {
    vi.stubEnv('SOCIAL_SEARCH_BASE_URL', '')
    vi.stubEnv('SOCIAL_SEARCH_API_KEY', '')
    const { code, out } = await social(`quote ${job}`)
    expect([code, JSON.parse(out)]).toMatchObject([0, quote])
  })
})

describe('quote on a terminal', () => {
  useCommand({}, ['stdout'])

  it.each([
    ['search coffee', 'coffee: At most 2 credits: 2 credits a page for 1 page.\n'],
    ['search --max-pages 2', 'At most 4 credits: 2 credits a page for 2 pages.\n'],
  ])('says it in a sentence, with the query if there is one: %s', async (job, text) => {
    expect((await social(`quote ${job}`)).out).toBe(text)
  })
})
