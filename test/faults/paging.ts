import { CreditBudget, type SocialSearch } from '../../src/index.ts'
import { industries, networkPosts, page } from '../support/pages.ts'
import { type Step, ok } from '../support/service.ts'
import { type Faults, told } from './observe.ts'

type Walk = (client: SocialSearch) => AsyncIterable<object>
/** Walks what a scripted service answers. */
const walked = (steps: readonly Step[], walk: Walk = ({ microblog }) => microblog.search({ query: 'q' })) =>
  told(steps, { walk })

const posts = (number: number, ...urns: string[]): Response => ok(networkPosts(number, ...urns))
const codes = (number: number, pageCount: number): Response => ok(industries(number, pageCount))
const cursors = (...all: string[]): Response[] =>
  all.map((cursor, index) => ok(page([String(index)], cursor)))
const lost = (meta: object): Response =>
  ok({ ...page(['0']), meta: { returnedCount: 1, hasMore: true, ...meta } })
const numbered = (...pages: Response[]) =>
  walked(pages, ({ professionalnet }) => professionalnet.posts.search({ query: 'q' }))
const industryWalk: Walk = ({ professionalnet }) => professionalnet.industries.list()

export const paging: Faults = {
  'the same cursor again': () => walked(cursors('A', 'A')),
  'circular cursors: A, B, A': () => walked(cursors('A', 'B', 'A')),
  'the cursor leads back to where a resumed walk began': () =>
    walked(cursors('B', 'A'), ({ microblog }) => microblog.search({ query: 'q', cursor: 'A' })),
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
  'pages counted up: an empty one': () => numbered(posts(1, 'a'), posts(2, 'b'), posts(3)),
  'pages counted up: the response has another page number': () => numbered(posts(1, 'a'), posts(1, 'b')),
  'pages counted up: a page has the same items as the previous one': () =>
    numbered(posts(1, 'a'), posts(2, 'a')),
  'a page has the same items as the previous one, with another cursor': () =>
    walked([ok(page(['a'], 'A')), ok(page(['a'], 'B'))]),
  'pageCount shrinks during the walk, from 9 to 2': () =>
    walked([codes(1, 9), codes(2, 2), codes(3, 2)], industryWalk),
  'pageCount that never ends, on pages without items': () => {
    const pages = [1, 2, 3, 4, 5].map((number) => ok({ ...industries(number, 1e9), industries: [] }))
    return walked(pages, industryWalk)
  },
  'a budget of 5 credits for pages of 2': () =>
    walked(cursors('A', 'B', 'C'), ({ microblog }) =>
      microblog.search({ query: 'q' }, { budget: new CreditBudget(5) }),
    ),
  'an undocumented list that has its items elsewhere': () => {
    const page = ok({ requestId: 'r', results: [], meta: { hasMore: false } })
    return walked([page], ({ mentions }) => mentions.list())
  },
}
