import { beforeAll, describe, expect, it } from 'vitest'
import {
  type PagedCall,
  type PagedOptions,
  PaginationError,
  type SocialSearch,
  isSocialSearchError,
} from '../../src/index.ts'
import { clientOf, failureOf, hostileTexts, longText, service } from '../support/hostile-answers.ts'
import { type KnownCall, knownCalls } from '../support/known-calls.ts'
import { miscounts } from '../support/ledger.ts'
import { callOperation } from '../soak/misfortune/operations.ts'

let known: KnownCall[]
beforeAll(async () => void (known = await knownCalls()))

type AnyWalk = PagedCall<unknown, unknown>
/** Lists with pages. */
const walks = [
  ...['microblog.search', 'professionalnet.posts.search', 'professionalnet.person.posts'],
  ...['professionalnet.person.comments', 'professionalnet.posts.reactions'],
  ...['professionalnet.industries.list', 'technews.search', 'mentions.list'],
]

/** Calls the method that is named like the operation. */
function walkOf(client: SocialSearch, { operation, params }: KnownCall, options: PagedOptions): AnyWalk {
  return callOperation(client, { id: operation.id }, options, params) as AnyWalk
}

/** The first page of a walk that has more, so that the hostile one comes second. */
function firstPage({ body }: KnownCall): string {
  const meta = { ...(body['meta'] as object), hasMore: true, nextCursor: 'second', page: 1, pageCount: 3 }
  return JSON.stringify({ ...body, meta })
}

/** Takes what a walk yields; returns how many pages or items, and the error that ended it. */
async function take(walk: AsyncIterable<unknown>): Promise<{ count: number; error: Error | undefined }> {
  let count = 0
  const error = await failureOf(async () => {
    for await (const each of walk) count += each === undefined ? 0 : 1
  })
  return { count, error }
}

function problemsOf(client: SocialSearch, charged: number, error: Error | undefined): string[] {
  return [
    ...miscounts(client.credits, charged),
    ...(error === undefined || isSocialSearchError(error) ? [] : [`ended with ${String(error)}`]),
  ]
}

describe.each(walks)('a walk of %s over hostile pages', { timeout: 120_000 }, (id) => {
  const validations = ['strict', 'lenient', 'off'] as const

  it('delivers each paid page, or has it in the error with the params to resume', async () => {
    const call = known.find(({ operation }) => operation.id === id)!
    const problems: string[] = []
    let turn = 0
    for (const [title, hostile] of hostileTexts(call, 2)) {
      const validation = validations[turn++ % 3]!
      const either = [[hostile], [firstPage(call), hostile]]
      // Long ones come in one place.
      for (const texts of hostile.length > longText ? [either[turn % 2]!] : either) {
        const { seen, fetch } = service(call, ...texts)
        const client = clientOf({ fetch, retry: false })
        const walk = walkOf(client, call, { validation, maxPages: 3 })
        const pages = walk.pages()
        const { count, error } = await take(pages)
        const found = problemsOf(client, seen.charged, error)
        const { body, page, next } = (error ?? {}) as {
          body?: unknown
          page?: unknown
          next?: object | null
        }
        const delivered = count + Number((body ?? page) !== undefined)
        // Free pages may be fetched ahead.
        if (call.charge > 0 && delivered !== seen.requests)
          found.push(`delivered ${delivered} of ${seen.requests} pages, ${String(error)}`)
        // After a page without the params of the next one, nothing can be resumed.
        if (next) walk.resume({ next })
        else if (error !== undefined && !(error instanceof PaginationError))
          found.push(`no next: ${String(error)}`)
        const where = `${title}, page ${texts.length}, ${validation}`
        problems.push(...found.map((problem) => `${where}: ${problem}`))
      }
    }
    expect(problems).toEqual([])
  })
})
