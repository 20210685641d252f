import { describe, expect, it } from 'vitest'
import { watchSearch } from '../../src/watch/index.ts'
import { drain, newFeed, range, setUp } from './helpers.ts'

const params = { query: 'acme' }

/** A watch of numbered pages of ten posts, which has read the first page. */
async function started(posts: number) {
  const feed = newFeed()
  feed.pageSize = 10
  feed.post(posts)
  const poll = async (state: unknown) => {
    const batches = watchSearch(feed.client.professionalnet.posts, params, {
      once: true,
      state: state as null,
    })
    let last = state
    const urns: string[] = []
    for await (const batch of batches) {
      last = batch.state
      urns.push(...batch.posts.map(({ urn }) => urn))
    }
    return { last, urns, requests: feed.requests.splice(0).length }
  }
  const { last } = await poll(null)
  return { feed, poll, last }
}

describe('watchSearch()', () => {
  it('buys one more page, and not all older ones, when a post of its only page is removed', async () => {
    const { feed, poll, last } = await started(300)
    feed.remove(4)
    const second = await poll(last)
    expect(second.requests).toBe(2)
    expect((await poll(second.last)).requests).toBe(1)
  })

  it('buys one page for each poll when all posts are known and fewer than the overlap', async () => {
    const { feed, poll, last } = await started(6)
    expect((await poll(last)).requests).toBe(1)
    feed.remove(2)
    expect((await poll(last)).requests).toBe(1)
  })

  it('ends at the oldest known posts when pages are shorter than the overlap', async () => {
    const { feed, start } = setUp(300, { once: true })
    feed.pageSize = 8
    const { last } = await drain(start())
    expect((await drain(start({ state: last }))).all).toEqual([])
    expect(feed.requests.splice(0)).toHaveLength(2)
    feed.post(3)
    const { all } = await drain(start({ state: last }))
    expect(all).toEqual(expect.arrayContaining(range(301, 303)))
    expect(feed.requests).toHaveLength(2)
  })

  it('misses no post above the oldest known ones when pages are shorter than the overlap', async () => {
    const { feed, start } = setUp(300, { once: true })
    feed.pageSize = 8
    const { last } = await drain(start())
    feed.post(50)
    const late = Number(feed.insert(53))
    const { all, last: state } = await drain(start({ state: last }))
    expect(all).toEqual(expect.arrayContaining([...range(301, 350), late]))
    expect(state?.spans.map(({ next }) => next)).toEqual([null])
  })
})
