import { describe, expect, it } from 'vitest'
import type { MicroblogPost, SocialSearch } from '../../src/index.ts'
import { all, day, findOn, now, setUp } from './helpers.ts'

const latest = { query: 'coffee', category: 'Latest' } as const
const find = (client: SocialSearch) => client.microblog.search(latest).toArray(all)

/** The posts that have the ids of others. */
function sharedWith(others: readonly MicroblogPost[], posts: readonly MicroblogPost[]): MicroblogPost[] {
  const ids = new Set(others.map(({ id }) => id))
  return posts.filter(({ id }) => ids.has(id))
}

describe('createSandbox() now', () => {
  // Fake timers may begin in 1970.
  it.each(['1970-01-01T00:00:00Z', '2026-01-01T00:00:00Z', '2026-07-31T23:59:59Z', '2030-03-01T12:00:00Z'])(
    'has posts, stories and mentions of the week before %s',
    async (date) => {
      const { client } = setUp({ now: new Date(date) })
      const ageOf = (time: unknown) => (Date.parse(date) - Date.parse(String(time))) / day
      const [post] = (await client.microblog.search(latest)).posts
      const [networkPost] = (await client.professionalnet.posts.search({ query: 'coffee' })).posts
      const [story] = (await client.technews.search({ query: 'ai' })).posts
      const [mention] = (await client.mentions.list()).mentions
      for (const [time, days] of [
        [post?.timestamp, 7],
        [networkPost?.postedAt, 30],
        [story?.['timestamp'], 30],
        [mention?.['publishedAt'], 7],
      ] as const) {
        expect(ageOf(time)).toBeGreaterThanOrEqual(0)
        expect(ageOf(time)).toBeLessThan(days)
      }
      expect(networkPost?.actor.actor_subDescription).toBe(networkPost?.postedAt.slice(0, 10))
    },
  )

  it('keeps each post as it is while the clock moves, here and in others of its seed', async () => {
    const { clock, client } = setUp()
    const before = await find(client)
    clock.time += 50 * day
    const after = await find(client)
    const kept = before.filter(({ timestamp }) => Date.parse(timestamp) > clock.time - 100 * day)
    expect(kept.length).toBeGreaterThan(50)
    expect(sharedWith(kept, after)).toEqual(kept)
    expect(after.length - kept.length).toBeGreaterThan(50)
    expect(await find(setUp({ now: new Date(clock.time) }).client)).toEqual(after)
  })

  it.each(['Latest', 'Top'] as const)(
    'continues a walk of %s with the posts of its start, in another sandbox too',
    async (category) => {
      const options = { growth: { perHour: 10, since: now }, posts: 1000 }
      const { clock, client } = setUp(options)
      clock.time += day
      const search = () => client.microblog.search({ query: 'coffee', category })
      const whole = await search().toArray(all)
      const { posts, next } = await search()
      clock.time += 3 * day
      const { client: other } = setUp({ ...options, now: new Date(clock.time + 9 * day) })
      for (const { microblog } of [client, other])
        expect([...posts, ...(await microblog.search(next!).toArray(all))]).toEqual(whole)
    },
  )
})

describe('createSandbox() growth', () => {
  it.each(['coffee', 'acme'])('adds so many posts an hour about %s to each network', async (query) => {
    const { clock, client } = setUp({ growth: 6 })
    const find = async () => (await findOn(client, query)).ids
    const before = await find()
    clock.time += 3_600_000
    const after = await find()
    for (const [index, ids] of after.entries()) {
      const fresh = ids.filter((id) => !before[index]?.includes(id))
      expect(fresh.length).toBeGreaterThanOrEqual(6)
      expect(fresh.length).toBeLessThanOrEqual(8)
      expect(new Set(ids).size).toBe(ids.length)
    }
    expect(await find()).toEqual(after)
  })

  it('comes between other posts, newest first, when it began in the past', async () => {
    const since = new Date(Number(now) - 9 * day)
    const { client } = setUp({ growth: { perHour: 1, since }, posts: 1000 })
    const before = await find(setUp({ posts: 1000 }).client)
    const posts = await find(client)
    expect(posts.length).toBe(before.length + 9 * 24)
    expect(sharedWith(before, posts)).toEqual(before)
    const times = posts.map(({ timestamp }) => timestamp)
    expect(times).toEqual([...times].sort().reverse())
  })
})
