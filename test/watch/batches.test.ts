import { describe, expect, it } from 'vitest'
import { CreditBudget, type MicroblogPost } from '../../src/index.ts'
import { type WatchBatch, watchSearch, watchSearches } from '../../src/extensions/watch/index.ts'
import { page, post } from '../support/pages.ts'
import { idsOf, next, range, setUp } from './helpers.ts'

describe('watchSearch()', () => {
  it('yields the known posts of each page as they are now, and pays for no other page', async () => {
    const { feed, batches } = setUp(100)
    expect((await next(batches)).known).toEqual([])
    feed.post(25)
    feed.onRequest = (cursor) => {
      const ids = feed.ids.slice(...(cursor === undefined ? [0, 20] : [20, 40]))
      const posts = ids.map((id) => ({ ...post(id), body: `${id} likes` }))
      const meta = { returnedCount: 20, hasMore: true, nextCursor: String(feed.requests.length) }
      return Response.json({ ...page([]), posts, meta })
    }
    const [first, second] = [await next(batches), await next(batches)]
    expect([idsOf(first), first.known]).toEqual([range(106, 125), []])
    expect([idsOf(second), second.known.map(({ body }) => body)]).toEqual([
      range(101, 105),
      range(86, 100).map((id) => `${id} likes`),
    ])
    expect(feed.requests).toHaveLength(3)
  })

  it("yields what fails validation as `invalid`, and reads on below it, with `validation: 'lenient'`", async () => {
    const { feed, batches } = setUp(30, { validation: 'lenient' })
    expect((await next(batches)).invalid).toEqual([])
    feed.post(25)
    feed.onRequest = (cursor) => {
      const body = feed.page(feed.ids.slice(0, 20), '36') as { posts: object[] }
      const posts = body.posts.map((each) => ({ ...each, name: null }))
      return cursor === undefined ? Response.json({ ...body, posts }) : undefined
    }
    const itemsOf = ({ posts, invalid = [] }: WatchBatch) => [
      posts.map(({ id }) => Number(id)),
      invalid.map(({ item }) => Number((item as MicroblogPost).id)),
    ]
    const newest = range(36, 55).toReversed()
    expect(itemsOf(await next(batches))).toEqual([[], newest])
    expect(itemsOf(await next(batches))).toEqual([range(31, 35), []])
    expect(itemsOf(await next(batches))).toEqual([[], newest])
    expect(feed.requests).toHaveLength(4)
  })

  it("yields each post without an id once, with `validation: 'off'`", async () => {
    const { feed, batches } = setUp(30, { validation: 'off' })
    let likes = 0
    feed.onRequest = () => {
      const posts = feed.ids.map((id) => ({ ...post(id), id: undefined, engagements: { likes } }))
      return Response.json({ ...page([]), posts })
    }
    expect((await next(batches)).posts).toHaveLength(30)
    feed.post(1)
    likes++
    const { posts, known } = await next(batches)
    expect([posts.map(({ body }) => body), known.length]).toEqual([['Post 31'], 30])
  })

  it('yields the posts that `from: now` skips as known', async () => {
    const { batches } = setUp(30, { from: 'now' })
    const { posts, known } = await next(batches)
    expect([posts, known.map(({ id }) => Number(id))]).toEqual([[], range(11, 30)])
  })

  it('tells the credits of each page, whatever else its client and its budget count', async () => {
    const { feed, start } = setUp(30, { once: true })
    const budget = new CreditBudget(100)
    const { state, credits } = await next(start({ budget }))
    expect(credits).toEqual({ spent: 2, uncertain: 0 })
    feed.post(30)
    const all = []
    for await (const batch of start({ state, budget })) {
      await feed.client.microblog.search({ query: 'other' })
      all.push(batch.credits)
    }
    expect(all).toEqual([credits, credits])
    expect([budget.summary().spent, feed.client.credits.spent]).toEqual([6, 10])
  })
})

describe('watchSearches()', () => {
  it('tells the credits that a failed check may have cost', async () => {
    const { feed } = setUp(30)
    feed.onRequest = () => new Response('<html>', { status: 502 })
    const { client } = feed
    const searches = { a: { query: 'acme' } }
    for await (const { credits, error } of watchSearches(client, searches, { once: true }))
      expect([credits, error?.charged]).toEqual([{ spent: 0, uncertain: 2 }, 'unknown'])
    expect.assertions(1)
  })

  it('refuses observers that are none, and pays for nothing', async () => {
    const { feed } = setUp(30)
    const batches = watchSearch(feed.client.microblog, { query: 'a' }, { observers: 5 as never })
    await expect(batches.next()).rejects.toThrow('observers must be an array of objects')
    expect(feed.requests).toEqual([])
  })
})
