import { CreditBudget, type MicroblogSearchParams, type SocialSearch } from '../../src/index.ts'
import { createSandbox } from '../support/sandbox.ts'
import { industries, networkPosts, page } from '../support/pages.ts'
import { type Step, makeClient, ok } from '../support/service.ts'
import { walk } from '../support/walk.ts'
import { type Faults } from './case.ts'
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

export const paging: Faults = {
  'the same cursor again': () => walked(cursors('A', 'A')),
  'circular cursors: A, B, A': () => walked(cursors('A', 'B', 'A')),
  'the cursor leads back to where a resumed walk began': () =>
    walked(cursors('B', 'A'), (client) => client.microblog.search({ query: 'q', cursor: 'A' })),
  'hasMore without a cursor': () => walked([lost({})]),
  'hasMore with an empty cursor': () => walked([lost({ nextCursor: '' })]),
  'hasMore false, with a cursor': () => walked([lost({ hasMore: false, nextCursor: 'A' })]),
  'hasMore that is not a boolean': () => walked([lost({ hasMore: 'true', nextCursor: 'A' })]),
  'empty pages with hasMore, without end': () => {
    const ids = [[], [], ['0'], [], [], [], ['never']]
    return walked(ids.map((each, index) => ok(page(each, `cursor ${index}`))))
  },
  'a cursor of 1,025 characters': async () =>
    (await walked(cursors('x'.repeat(1025)))).replace(/next \{.*x{1025}"\}/, 'next with the cursor'),
  'pages counted up: an empty one': () => walked([posts(1, 'a'), posts(2, 'b'), posts(3)], networkSearch),
  'pages counted up: the response has another page number': () =>
    walked([posts(1, 'a'), posts(1, 'b')], networkSearch),
  'pages counted up: a page has the same items as the previous one': () =>
    walked([posts(1, 'a'), posts(2, 'a')], networkSearch),
  'the reader leaves the loop': async () => {
    const { fetch, at } = scripted(...cursors('A', 'B', 'C'))
    const client = makeClient({ fetch })
    let read = 0
    for await (const { id } of client.microblog.search({ query: 'q' })) {
      read += id.length
      break
    }
    return `${read} read; ${at.length} request; ${costs(client, undefined)}`
  },
  'page 7 fails': () =>
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
  'page 3 loses its connection': () =>
    walked([...cursors('A', 'B'), () => Promise.reject(new TypeError('fetch failed'))]),
  'pageCount shrinks during the walk, from 9 to 2': () =>
    walked([codes(1, 9), codes(2, 2), codes(3, 2)], industryWalk),
  'pageCount that never ends, on pages without items': () =>
    walked(
      [1, 2, 3, 4, 5].map((number) => ok({ ...industries(number, 1e9), industries: [] })),
      industryWalk,
    ),
  'a budget of 5 credits for pages of 2': () =>
    walked(cursors('A', 'B', 'C'), (client) =>
      client.microblog.search({ query: 'q' }, { budget: new CreditBudget(5) }),
    ),
  'an undocumented list that has its items elsewhere': () =>
    walked([ok({ requestId: 'r', results: [], meta: { hasMore: false } })], (client) =>
      client.mentions.list(),
    ),
}
