import { describe, expect, it } from 'vitest'
import { watchSearch } from '../../src/watch/index.ts'
import { drain, newFeed, setUp } from './helpers.ts'

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
  it('buys one page for each poll when all posts are known and fewer than the overlap', async () => {
    const { feed, poll, last } = await started(6)
    expect((await poll(last)).requests).toBe(1)
    feed.remove(2)
    expect((await poll(last)).requests).toBe(1)
  })

  it('buys one page when one of ten known posts was removed, and yields no older post', async () => {
    const { feed, poll, last } = await started(300)
    feed.remove(4)
    const { requests, urns } = await poll(last)
    expect([requests, urns.length]).toEqual([1, 0])
  })

  it('finds a late post on the second page when pages are shorter than the overlap', async () => {
    const { feed, start } = setUp(300, { once: true })
    const { last } = await drain(start())
    feed.pageSize = 5
    const late = Number(feed.insert(7))
    expect((await drain(start({ state: last }))).all).toEqual([late])
  })
})
