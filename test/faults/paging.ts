import { CreditBudget, type MicroblogSearchParams, type SocialSearch } from '../../src/index.ts'
import { createSandbox } from '../../src/sandbox/index.ts'
import { industries, networkPosts, page } from '../support/pages.ts'
import { type Step, failure, makeClient, ok } from '../support/service.ts'
import { walk } from '../support/walk.ts'
import { group } from './case.ts'
import { costs, ending, inVirtualTime, scripted } from './observe.ts'

/** Walks what a scripted service answers, and tells which items came, how it ended, and what was bought. */
function walked(
  steps: readonly Step[],
  call: (client: SocialSearch) => AsyncIterable<object> = (client) => client.microblog.search({ query: 'q' }),
): Promise<string> {
  return inVirtualTime(async () => {
    const { fetch, at } = scripted(...steps)
    const client = makeClient({ fetch })
    const { items, error } = await walk(call(client))
    const ids = items.map((item) => (item as { id?: unknown }).id ?? (item as { urn?: unknown }).urn)
    const { next } = (error ?? {}) as { next?: unknown }
    const end = error === undefined ? 'ended' : `${ending(error)}, next ${JSON.stringify(next)}`
    return `items ${ids.join(', ') || 'none'}; ${end}; sent ×${at.length}; ${costs(client, undefined)}`
  })
}

const posts = (number: number, ...urns: string[]): Response => ok(networkPosts(number, ...urns))
const codes = (number: number, pageCount: number): Response => ok(industries(number, pageCount))
const cursors = (...all: string[]): Response[] =>
  all.map((cursor, index) => ok(page([String(index)], cursor)))
const lost = (meta: object): Response =>
  ok({ ...page(['0']), meta: { returnedCount: 1, hasMore: true, ...meta } })
const networkSearch = (client: SocialSearch) => client.professionalnet.posts.search({ query: 'q' })
const industryWalk = (client: SocialSearch) => client.professionalnet.industries.list()

export const paging = group('paging', [
  {
    id: 240,
    name: 'the same cursor again',
    expected: 'stops before the next paid call, which would buy the same page forever',
    observed: 'items 0, 1; PaginationError, next {"query":"q","cursor":"A"}; sent ×2; spent 4, uncertain 0',
    run: () => walked(cursors('A', 'A')),
  },
  {
    id: 241,
    name: 'circular cursors: A, B, A',
    expected: 'stops before the next paid call, which would buy the same pages forever',
    observed:
      'items 0, 1, 2; PaginationError, next {"query":"q","cursor":"A"}; sent ×3; spent 6, uncertain 0',
    run: () => walked(cursors('A', 'B', 'A')),
  },
  {
    id: 242,
    name: 'the cursor leads back to where a resumed walk began',
    expected: 'detected: the first page of the walk counts, too',
    observed: 'items 0, 1; PaginationError, next {"query":"q","cursor":"A"}; sent ×2; spent 4, uncertain 0',
    run: () => walked(cursors('B', 'A'), (client) => client.microblog.search({ query: 'q', cursor: 'A' })),
  },
  {
    id: 243,
    name: 'hasMore without a cursor',
    expected: 'the items are delivered, then the error: the walk must not look complete',
    observed: 'items 0; PaginationError, next null; sent ×1; spent 2, uncertain 0',
    run: () => walked([lost({})]),
  },
  {
    id: 244,
    name: 'hasMore with an empty cursor',
    expected: 'treated as missing: it would restart the walk',
    observed: 'items 0; PaginationError, next null; sent ×1; spent 2, uncertain 0',
    run: () => walked([lost({ nextCursor: '' })]),
  },
  {
    id: 245,
    name: 'hasMore false, with a cursor',
    expected: 'the end: hasMore decides',
    observed: 'items 0; ended; sent ×1; spent 2, uncertain 0',
    run: () => walked([lost({ hasMore: false, nextCursor: 'A' })]),
  },
  {
    id: 246,
    name: 'hasMore that is not a boolean',
    expected: 'not of the documented shape',
    observed: 'items none; InvalidResponseError, next {"query":"q"}; sent ×1; spent 2, uncertain 0',
    run: () => walked([lost({ hasMore: 'true', nextCursor: 'A' })]),
  },
  {
    id: 247,
    name: 'empty pages with hasMore, without end',
    expected: 'stops after three in a row: each costs credits',
    observed: 'items 0; ended; sent ×6; spent 12, uncertain 0',
    run: () => {
      const ids = [[], [], ['0'], [], [], [], ['never']]
      return walked(ids.map((each, index) => ok(page(each, `cursor ${index}`))))
    },
  },
  {
    id: 248,
    name: 'a cursor of 1,025 characters',
    expected: 'refused before it is sent: the service documents at most 1,024',
    observed: 'items 0; InvalidRequestError, next with the cursor; sent ×1; spent 2, uncertain 0',
    run: async () =>
      (await walked(cursors('x'.repeat(1025)))).replace(/next \{.*x{1025}"\}/, 'next with the cursor'),
  },
  {
    id: 249,
    name: 'pages counted up: an empty one',
    expected: 'the end; the empty page costs the same as any other',
    observed: 'items a, b; ended; sent ×3; spent 12, uncertain 0',
    run: () => walked([posts(1, 'a'), posts(2, 'b'), posts(3)], networkSearch),
  },
  {
    id: 250,
    name: 'pages counted up: the response has another page number',
    expected: 'stops with the params to continue: items could be lost or repeated',
    observed: 'items a; PaginationError, next {"query":"q","page":2}; sent ×2; spent 8, uncertain 0',
    run: () => walked([posts(1, 'a'), posts(1, 'b')], networkSearch),
  },
  {
    id: 251,
    name: 'pages counted up: a page has the same items as the previous one',
    expected: 'stops with the params to continue: it would buy the same page forever',
    observed: 'items a; PaginationError, next {"query":"q","page":2}; sent ×2; spent 8, uncertain 0',
    run: () => walked([posts(1, 'a'), posts(2, 'a')], networkSearch),
  },
  {
    id: 252,
    name: 'the reader leaves the loop',
    expected: 'no further page is bought',
    observed: '1 read; 1 request; spent 2, uncertain 0',
    run: async () => {
      const { fetch, at } = scripted(...cursors('A', 'B', 'C'))
      const client = makeClient({ fetch })
      let read = 0
      for await (const { id } of client.microblog.search({ query: 'q' })) {
        read += id.length
        break
      }
      return `${read} read; ${at.length} request; ${costs(client, undefined)}`
    },
  },
  {
    id: 253,
    name: 'page 7 fails',
    expected: 'pages 1 to 6 are delivered, and the error has `next` to continue without buying one twice',
    observed:
      '6 pages, UpstreamError 502, resumed by next: all posts of the service in order, none twice; spent = ledger',
    run: () =>
      inVirtualTime(async () => {
        const { fetch, baseUrl, apiKey, inject, ledger } = createSandbox({ limits: { perMinute: false } })
        const client = makeClient({ fetch, baseUrl, apiKey, limits: { perMinute: false } })
        const params: MicroblogSearchParams = { query: 'climate' }
        const whole = await walk(client.microblog.search(params))
        inject({ status: 502, skip: 6, times: 3 })
        const first = await walk(client.microblog.search(params).pages())
        const { next } = first.error as { next: MicroblogSearchParams }
        const stored = JSON.parse(JSON.stringify(next)) as MicroblogSearchParams
        const rest = await walk(client.microblog.search(stored))
        const got = [...first.items.flatMap(({ posts }) => posts), ...rest.items].map(({ id }) => id)
        const all = whole.items.map(({ id }) => id)
        const right = JSON.stringify(got) === JSON.stringify(all) && all.length > 140
        const books = client.credits.spent === ledger.spent ? 'spent = ledger' : 'the books are wrong'
        return `${first.items.length} pages, ${ending(first.error)}, resumed by next: ${right ? 'all posts of the service in order, none twice' : 'posts are missing'}; ${books}`
      }),
  },
  {
    id: 254,
    name: 'page 3 loses its connection',
    expected: 'not retried, since it may have been charged; the error has `next` to continue',
    observed:
      'items 0, 1; ConnectionError (exchange), next {"query":"q","cursor":"B"}; sent ×3; spent 4, uncertain 2',
    run: () => walked([...cursors('A', 'B'), () => Promise.reject(new TypeError('fetch failed'))]),
  },
  {
    id: 255,
    name: 'pageCount shrinks during the walk, from 9 to 2',
    expected: 'the latest pageCount decides; prefetched pages are dropped',
    observed: 'items 1, 2; ended; sent ×3; spent 0, uncertain 0',
    run: () => walked([codes(1, 9), codes(2, 2), codes(3, 2)], industryWalk),
  },
  {
    id: 256,
    name: 'pageCount shrinks, and the page fetched ahead fails',
    expected: 'the page is not needed: no error, and no unhandled rejection',
    observed: 'items 1, 2; ended; sent ×4; spent 0, uncertain 0',
    run: () => walked([codes(1, 9), codes(2, 2), failure(500, 'internal')], industryWalk),
  },
  {
    id: 257,
    name: 'pageCount that never ends, on pages without items',
    expected: 'stopped after three empty pages',
    observed: 'items none; ended; sent ×4; spent 0, uncertain 0',
    run: () =>
      walked(
        [1, 2, 3, 4, 5].map((number) => ok({ ...industries(number, 1e9), industries: [] })),
        industryWalk,
      ),
  },
  {
    id: 258,
    name: 'a budget of 5 credits for pages of 2',
    expected: 'stops before it is exceeded, with `next` to continue',
    observed: 'items 0, 1; CreditBudgetError, next {"query":"q","cursor":"B"}; sent ×2; spent 4, uncertain 0',
    run: () =>
      walked(cursors('A', 'B', 'C'), (client) =>
        client.microblog.search({ query: 'q' }, { budget: new CreditBudget(5) }),
      ),
  },
  {
    id: 259,
    name: 'an undocumented list that has its items elsewhere',
    expected: 'the error lists the expected field and the fields found',
    observed: 'items none; PaginationError, next {}; sent ×1; spent 0, uncertain 0',
    run: () =>
      walked([ok({ requestId: 'r', results: [], meta: { hasMore: false } })], (client) =>
        client.mentions.list(),
      ),
  },
])
