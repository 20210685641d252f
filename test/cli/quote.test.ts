import { describe, expect, it, vi } from 'vitest'
import { social, useCommand } from './command.ts'

useCommand()

describe('quote', () => {
  it.each<[string, object]>([
    ['quote search --max-pages 50', { atMost: 100, duration: 120_000 }],
    [
      'quote search coffee --limit 50',
      {
        ...{ atMost: null, expected: 6, perPage: 2 },
        why: '2 credits a page for 3 pages if they are full; pages may have less, so the most is unknown',
      },
    ],
    ['quote search coffee --limit 50 --max-pages 9', { atMost: 18, expected: 6 }],
    ['quote search coffee', { atMost: 2, why: '2 credits a page for 1 page' }],
    [
      'quote posts coffee --limit 50',
      { atMost: null, why: '4 credits a page; the number of pages is unknown' },
    ],
    [
      'quote comments URL --expect 9',
      { atMost: 100, expected: 9, why: '1 credit for each of 100 comments (maxComments); 9 expected' },
    ],
    ['quote comments URL --expect 0', { atMost: 100, expected: 1 }],
    ['quote comments URL --expect 150', { atMost: 150, expected: 150 }],
    ['quote comments URL --expect 1500', { atMost: 1000, expected: 1000 }],
    [`quote comments --params '{"maxComments":100}' --expect 150`, { atMost: 100, expected: 100 }],
    [
      'quote reactions',
      { atMost: null, why: expect.stringContaining('documents no bound, so the most is unknown') },
    ],
    ['quote reactions --expect 9 --all', { atMost: null, expected: 9, duration: null }],
    ['quote professionalnet person posts', { atMost: 10 }],
    [`quote comments --params '{"maxComments":500}'`, { atMost: 500 }],
    [
      'quote microblog.search --all',
      {
        ...{ atMost: null, perPage: 2, duration: null },
        why: '2 credits a page; the number of pages is unknown',
      },
    ],
    ['quote mentions.list --all', { atMost: 0, duration: null }],
  ])(
    'prints what a job costs and how long it takes at least, without an account: %s',
    async (line, quote) => {
      vi.stubEnv('SOCIAL_SEARCH_BASE_URL', '')
      vi.stubEnv('SOCIAL_SEARCH_API_KEY', '')
      const { code, out } = await social(line)
      expect([code, JSON.parse(out)]).toMatchObject([0, quote])
    },
  )
})
