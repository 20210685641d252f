import { describe, expect, it } from 'vitest'
import { drain, newFeed, pollNetwork, setUp } from './helpers.ts'

/** A feed of numbered pages of ten posts, and the state of a watch that has read the first page. */
async function started(posts: number) {
  const feed = newFeed()
  feed.pageSize = 10
  feed.post(posts)
  return { feed, state: (await pollNetwork(feed, null)).state }
}

describe('watchSearch()', () => {
  it('buys one page for each poll when all posts are known and fewer than the overlap', async () => {
    const { feed, state } = await started(6)
    expect((await pollNetwork(feed, state)).requests).toBe(1)
    feed.remove(2)
    expect((await pollNetwork(feed, state)).requests).toBe(1)
  })

  it('buys one page when one of ten known posts was removed, and yields no older post', async () => {
    const { feed, state } = await started(300)
    feed.remove(4)
    expect(await pollNetwork(feed, state)).toMatchObject({ requests: 1, ids: [] })
  })

  it('finds a late post on the second page when pages are shorter than the overlap', async () => {
    const { feed, start } = setUp(300, { once: true, overlap: 10 })
    const { last } = await drain(start())
    feed.pageSize = 5
    const late = Number(feed.insert(7))
    expect((await drain(start({ state: last }))).all).toEqual([late])
  })
})
