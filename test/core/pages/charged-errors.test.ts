import { describe, expect, it } from 'vitest'
import { ResultCache } from '../../../src/extensions/cache/index.ts'
import { PaginationError, type SocialSearch } from '../../../src/index.ts'
import { virtualTime } from '../../support/clock.ts'
import { networkPosts, page } from '../../support/pages.ts'
import { type Step, makeClient, ok, scriptedService } from '../../support/service.ts'
import { walk } from '../../support/walk.ts'

const service = scriptedService()
virtualTime()

const network = (client: SocialSearch) => client.professionalnet.posts.search({ query: 'q' })
const microblog = (client: SocialSearch) => client.microblog.search({ query: 'q' })
const posts = (number: number, urn: string) => () => ok(networkPosts(number, urn))
const lost = { ...page(['0']), meta: { returnedCount: 1, hasMore: true } }

async function errorOf(call: AsyncIterable<object>): Promise<PaginationError> {
  const { error } = await walk(call)
  expect(error).toBeInstanceOf(PaginationError)
  return error as PaginationError
}

describe('PaginationError', () => {
  it.each<[string, Step[], (client: SocialSearch) => AsyncIterable<object>]>([
    ['has another number', [posts(1, 'a'), posts(1, 'b')], network],
    ['repeats the items of the page before', [posts(1, 'a'), posts(2, 'a')], network],
    ['names no next page', [() => ok(page(['0'], 'A')), () => ok(lost)], microblog],
    ['leads back', [() => ok(page(['0'], 'A')), () => ok(page(['1'], 'A'))], microblog],
  ])('is charged, with the attempt and requestId, when a paid page %s', async (_, steps, call) => {
    service.script(...steps)
    const error = await errorOf(call(makeClient()))
    expect(error).toMatchObject({
      charged: 'yes',
      requestId: expect.stringMatching(/^r/),
      attempts: [{ charged: 'yes', status: 200 }],
      // Those that are not delivered.
      ...(call === network && { body: { requestId: 'r' } }),
    })
  })

  it('is not charged when the page came from a cache', async () => {
    service.script(() => ok(lost))
    const client = makeClient({ cache: new ResultCache({ maxAge: 60_000 }) })
    expect(await errorOf(microblog(client))).toMatchObject({ charged: 'yes' })
    expect(await errorOf(microblog(client))).toMatchObject({ charged: 'no' })
    expect(service.arrivals).toHaveLength(1)
  })

  it('is not charged when the page is free', async () => {
    service.script(() => ok({ requestId: 'req_1', others: [] }))
    expect(await errorOf(makeClient().mentions.list())).toMatchObject({ charged: 'no', requestId: 'req_1' })
  })
})
