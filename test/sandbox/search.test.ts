import { describe, expect, it } from 'vitest'
import type { MicroblogPost, MicroblogSearchParams } from '../../src/index.ts'
import { people } from '../../src/extensions/sandbox/compose-post.ts'
import { all, findOn, setUp } from './helpers.ts'

const { client } = setUp()
const find = (params: MicroblogSearchParams) => client.microblog.search(params).toArray(all)
const coffee = { query: 'coffee' }
const latest = await find({ ...coffee, category: 'Latest' })

const score = ({ engagements: { favoriteCount, retweetCount, replyCount } }: MicroblogPost): number =>
  favoriteCount + 2 * retweetCount + replyCount
const descending = (values: readonly number[]): boolean =>
  values.every((value, index) => index === 0 || (values[index - 1] ?? value) >= value)
const ids = (posts: readonly MicroblogPost[]): string[] => posts.map(({ id }) => id).sort()

describe('createSandbox() search', () => {
  it.each(['typescript', 'coffee', 'ai', 'climate'])(
    'finds more than 200 posts when asked for "%s"',
    async (query) => {
      const posts = await client.microblog.search({ query }).toArray({ limit: 201 })
      expect(posts).toHaveLength(201)
      const word = new RegExp(`(?<![\\p{L}\\p{N}])${query}(?![\\p{L}\\p{N}])`, 'iu')
      expect(posts.filter((post) => !word.test(`${post.body} ${post.name} ${post.author}`))).toEqual([])
    },
  )

  it('orders by engagement when the category is Top, People or missing', async () => {
    const top = await find({ ...coffee, category: 'Top' })
    expect(await find({ ...coffee, category: 'People' })).toEqual(top)
    expect(descending(top.map(score))).toBe(true)
    expect(ids(top)).toEqual(ids(latest))
    expect((await client.microblog.search(coffee)).posts).toEqual(top.slice(0, 20))
  })

  it('makes up no more quotes than reposts, reposts than likes, or likes than views', () => {
    for (const { quoteCount, retweetCount, favoriteCount, viewsCount } of latest.map(
      (post) => post.engagements,
    ))
      expect(descending([viewsCount, favoriteCount, retweetCount, quoteCount])).toBe(true)
  })

  it('keeps posts with images or with a video when the category is Photos or Videos', async () => {
    const photos = await find({ ...coffee, category: 'Photos' })
    const videos = await find({ ...coffee, category: 'Videos' })
    expect(photos).toEqual(latest.filter(({ images }) => images.length > 0))
    expect(videos).toEqual(latest.filter(({ video }) => video !== null))
    expect(Math.min(photos.length, videos.length)).toBeGreaterThan(5)
  })

  it('finds posts with every word, in any order, case and punctuation', async () => {
    const both = await find({ query: 'coffee harbour', category: 'Latest' })
    expect(both.length).toBeGreaterThan(3)
    expect(both.length).toBeLessThan(latest.length)
    expect(both.every(({ body }) => /coffee/i.test(body) && /harbour/i.test(body))).toBe(true)
    for (const query of ['Harbour COFFEE', '#coffee, "harbour"!'])
      expect(await find({ query, category: 'Latest' })).toEqual(both)
  })

  it('finds no part of a longer word', async () => {
    // The sandbox makes posts about it up; none is one of those about coffee.
    const posts = await find({ query: 'coffe' })
    expect(posts.filter(({ body }) => !/\bcoffe\b/i.test(body))).toEqual([])
  })

  it('finds words inside Japanese text, which has no spaces', async () => {
    const { client } = setUp({ content: { microblog: [{ body: '朝のコーヒーが楽しみ' }] } })
    expect((await client.microblog.search({ query: 'コーヒー' })).posts).toHaveLength(1)
  })
})

it('createSandbox() has as many posts as asked for', async () => {
  const { client } = setUp({ posts: 40 })
  const found = new Set<string>()
  for (const query of ['a', 'the', 'example', 'https'])
    for (const { id } of await client.microblog.search({ query }).toArray(all)) found.add(id)
  expect(found.size).toBeGreaterThan(15)
  expect(found.size).toBeLessThanOrEqual(40)
})

describe('createSandbox() seed', () => {
  it.each(['typescript', 'Ñandú & Söhne', '東京'])(
    'decides which posts about %j are on all networks',
    async (query) => {
      const find = async (seed: number) => {
        const { ids, found } = await findOn(setUp({ seed }).client, query, { limit: 60 })
        return { ids, texts: found.map((each) => JSON.stringify(each)) }
      }
      const [first, second, other] = [await find(1), await find(1), await find(2)]
      expect(second).toEqual(first)
      for (const [index, ids] of first.ids.entries()) {
        expect(ids.length).toBeGreaterThan(7)
        expect(new Set(ids).size).toBe(ids.length)
        expect(other.texts[index]).not.toBe(first.texts[index])
      }
    },
  )
})

describe('createSandbox() without posts about a query', () => {
  it.each([
    ...['nothing', 'Nothing like coffee', ' ', '!!!', '☕'].map((query) => ({ query, posts: 1000 })),
    ...['ai', 'acme', 'the'].map((query) => ({ query, posts: 0 })),
  ])(
    'answers empty pages, and charges for them, when asked for $query of $posts posts',
    async ({ query, ...options }) => {
      const { sandbox, client } = setUp(options)
      if (options.posts > 0) sandbox.publish([{ body: 'Acme opens' }])
      const { posts, meta } = await client.microblog.search({ query })
      expect([posts, meta]).toEqual([[], { returnedCount: 0, hasMore: false }])
      expect((await client.professionalnet.posts.search({ query })).posts).toEqual([])
      expect((await client.technews.search({ query }))['posts']).toEqual([])
      expect(sandbox.ledger.spent).toBe(2 + 4 + 2)
    },
  )

  it('answers no posts and comments of persons either', async () => {
    const { client } = setUp({ posts: 0 })
    const profileUrl = people[0]?.profile.url
    expect((await client.professionalnet.person.posts({ profileUrl }))['posts']).toEqual([])
    expect((await client.professionalnet.person.comments({ profileUrl }))['comments']).toEqual([])
  })
})

describe('createSandbox() technews', () => {
  it('finds stories and comments with the word, newest first, at 2 credits a page', async () => {
    const { sandbox, client } = setUp()
    const query = 'typescript'
    const found = await client.technews.search({ query }).toArray(all)
    expect(found.length).toBeGreaterThan(60)
    expect(sandbox.ledger.spent).toBe(2 * Math.ceil(found.length / 20))
    const times = found.map(({ timestamp }) => String(timestamp))
    expect(times).toEqual([...times].sort().reverse())
    for (const { title, text } of found) expect(`${String(title)} ${String(text)}`).toMatch(/typescript/i)
    expect(new Set(found.map(({ type }) => type))).toEqual(new Set(['story', 'comment']))
  })
})
