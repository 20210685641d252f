import { beforeAll, describe, expect, it } from 'vitest'
import type { MicroblogPost } from '../../src/api/microblog.ts'
import { microblogPost } from '../../src/api/microblog.ts'
import { check } from '../../src/api/schema/check.ts'
import type { Sandbox } from '../../src/sandbox/index.ts'
import { now, search, unpaced, walk } from './helpers.ts'

const score = ({ engagements: { favoriteCount, retweetCount, replyCount } }: MicroblogPost): number =>
  favoriteCount + 2 * retweetCount + replyCount
const descending = (values: readonly (number | string)[]): boolean =>
  values.every((value, index) => index === 0 || (values[index - 1] ?? value) >= value)
const ids = (posts: readonly MicroblogPost[]): string[] => posts.map(({ id }) => id).sort()

describe('createSandbox() search', () => {
  let sandbox: Sandbox
  let latest: MicroblogPost[]

  beforeAll(async () => {
    sandbox = unpaced()
    latest = await walk(sandbox, { query: 'coffee', category: 'Latest' })
  })

  it.each(['typescript', 'coffee', 'ai', 'climate'])(
    'finds more than 200 posts when asked for "%s"',
    async (query) => {
      const posts = await walk(sandbox, { query })
      expect(posts.length).toBeGreaterThan(200)
      const word = new RegExp(`(?<![\\p{L}\\p{N}])${query}(?![\\p{L}\\p{N}])`, 'iu')
      expect(posts.filter((post) => !word.test(`${post.body} ${post.name} ${post.author}`))).toEqual([])
    },
  )

  it('orders by time, newest first, when the category is Latest', () => {
    expect(descending(latest.map(({ timestamp }) => timestamp))).toBe(true)
  })

  it('orders by engagement when the category is Top or missing', async () => {
    const top = await walk(sandbox, { query: 'coffee', category: 'Top' })
    expect(descending(top.map(score))).toBe(true)
    expect(ids(top)).toEqual(ids(latest))
    expect(await walk(sandbox, { query: 'coffee' })).toEqual(top)
  })

  it('keeps posts with images or with a video when the category is Photos or Videos', async () => {
    const photos = await walk(sandbox, { query: 'coffee', category: 'Photos' })
    const videos = await walk(sandbox, { query: 'coffee', category: 'Videos' })
    expect(photos).toEqual(latest.filter(({ images }) => images.length > 0))
    expect(videos).toEqual(latest.filter(({ video }) => video !== null))
    expect(Math.min(photos.length, videos.length)).toBeGreaterThan(5)
  })

  it('finds people by name or handle when the category is People', async () => {
    const people = await walk(sandbox, { query: 'coffee', category: 'People' })
    expect(people).toEqual([])
    const { author, name } = latest[0] as MicroblogPost
    for (const query of [author, name, name.toUpperCase()]) {
      const posts = await walk(sandbox, { query, category: 'People' })
      expect(new Set(posts.map((post) => post.author)).has(author)).toBe(true)
      const found = await walk(sandbox, {
        query,
        category: 'People',
        filters: { fromTheseAccounts: [author] },
      })
      expect(posts.filter((post) => post.author === author)).toEqual(found)
      expect(posts.every((post) => post.name === name || post.author === author)).toBe(true)
    }
  })

  it('finds posts with every word, in any order, case and punctuation', async () => {
    const both = await walk(sandbox, { query: 'coffee morning', category: 'Latest' })
    expect(both.length).toBeGreaterThan(3)
    expect(both.length).toBeLessThan(latest.length)
    expect(both.every(({ body }) => /coffee/i.test(body) && /morning/i.test(body))).toBe(true)
    for (const query of ['Morning COFFEE', '#coffee, "morning"!']) {
      expect(await walk(sandbox, { query, category: 'Latest' })).toEqual(both)
    }
  })

  it('finds no part of a longer word', async () => {
    // The sandbox makes posts about it up; none is one of those about coffee.
    const posts = await walk(sandbox, { query: 'coffe' })
    expect(posts.filter(({ body }) => !/\bcoffe\b/i.test(body))).toEqual([])
  })

  it('finds words inside Japanese text, which has no spaces', async () => {
    const posts = await walk(sandbox, { query: 'コーヒー' })
    expect(posts.length).toBeGreaterThan(10)
    expect(posts.every(({ body }) => body.includes('コーヒー'))).toBe(true)
  })

  it.each([' ', '!!!', '☕'])('finds nothing when the query "%s" has no word', async (query) => {
    expect(await walk(sandbox, { query })).toEqual([])
  })
})

describe('createSandbox() posts', () => {
  const everything = async (options: { seed?: number; posts?: number }): Promise<string> => {
    const sandbox = unpaced(options)
    return JSON.stringify(await walk(sandbox, { query: 'typescript', category: 'Latest' }))
  }

  it('are the same byte for byte when the seed is the same, and others when it differs', async () => {
    const first = await everything({ seed: 5 })
    const other = await everything({ seed: 6 })
    expect(await everything({ seed: 5 })).toBe(first)
    expect(other).not.toBe(first)
  })

  it('come with ids and a key that depend on the seed alone', async () => {
    const run = async (seed: number): Promise<string[]> => {
      const sandbox = unpaced({ seed })
      const answers = [await search(sandbox, { query: 'ai' }), await search(sandbox, { query: 'ai' })]
      return [sandbox.apiKey, ...answers.map(({ body }) => body.requestId)]
    }
    const [key, first, second] = await run(1)
    expect(key).toMatch(/^sandbox_[0-9a-f]{32}$/)
    expect(first).not.toBe(second)
    expect(await run(1)).toEqual([key, first, second])
    expect((await run(2))[0]).not.toBe(key)
  })

  it('are as many as asked for', async () => {
    const sandbox = unpaced({ posts: 40 })
    const found = new Set<string>()
    for (const lang of ['en', 'de', 'fr', 'es', 'ja', 'pt']) {
      for (const query of ['a', 'the', 'example', 'https']) {
        for (const post of await walk(sandbox, { query, filters: { lang } })) found.add(post.id)
      }
    }
    expect(found.size).toBeGreaterThan(15)
    expect(found.size).toBeLessThanOrEqual(40)
    expect((await search(unpaced({ posts: 0 }), { query: 'the' })).body.posts).toEqual([])
  })

  it('have exactly the documented fields, and dates within about 120 days before the clock', async () => {
    const sandbox = unpaced()
    const posts = await walk(sandbox, { query: 'typescript', category: 'Latest' })
    for (const post of posts) {
      expect(check(microblogPost, post)).toEqual([])
      expect(Object.keys(post).sort()).toEqual(
        ['author', 'body', 'engagements', 'id', 'images', 'name', 'timestamp', 'url', 'video'].sort(),
      )
      expect(Object.keys(post.engagements)).toHaveLength(6)
      expect(post.author).toMatch(/^\w+$/)
      expect(post.body).not.toMatch(/[{}]|undefined|\s{2}/)
      for (const url of [
        post.url,
        ...post.images,
        post.video ?? post.url,
        ...(post.body.match(/https?:\S+/g) ?? []),
      ]) {
        expect(new URL(url).hostname).toMatch(/\.example$/)
      }
    }
    const times = posts.map(({ timestamp }) => Date.parse(timestamp))
    const days = (now.getTime() - Math.min(...times)) / 86_400_000
    expect(Math.max(...times)).toBeLessThanOrEqual(now.getTime())
    expect(days).toBeGreaterThan(100)
    expect(days).toBeLessThan(135)
  })

  it('hardly ever repeat their text', async () => {
    const sandbox = unpaced()
    const bodies = (await walk(sandbox, { query: 'typescript' })).map(({ body }) => body)
    expect(new Set(bodies).size).toBeGreaterThan(0.98 * bodies.length)
  })

  it('have engagement with a long tail', async () => {
    const sandbox = unpaced()
    const likes = (await walk(sandbox, { query: 'typescript' })).map(
      ({ engagements }) => engagements.favoriteCount,
    )
    likes.sort((a, b) => a - b)
    const median = likes[Math.floor(likes.length / 2)] ?? 0
    expect(median).toBeLessThan(30)
    expect(likes.at(-1)).toBeGreaterThan(20 * median)
  })
})
