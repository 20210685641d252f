import { describe, expect, it } from 'vitest'
import type { Sandbox } from '../../src/sandbox/index.ts'
import { type Json, call, networkOf, unpaced } from './helpers.ts'

interface Page {
  readonly items: Json[]
  readonly meta: Json
}

/** Every page of a search by cursor. */
async function walk(sandbox: Sandbox, path: string, property: string, params: object): Promise<Page[]> {
  const pages: Page[] = []
  for (let cursor: string | undefined; ;) {
    const { status, body } = await call(sandbox, `POST ${path}`, { ...params, cursor })
    expect([status, body['requestId']]).toEqual([200, expect.any(String)])
    expect(body['meta'].returnedCount).toBe(body[property].length)
    pages.push({ items: body[property], meta: body['meta'] })
    if (!body['meta'].hasMore) return pages
    cursor = body['meta'].nextCursor
  }
}

const items = (pages: readonly Page[]) => pages.flatMap((page) => page.items)
const { posts, people } = networkOf(1)
const busy = posts.find(({ post }) => post.social_details.numLikes > 250)!.post

describe('createSandbox() reactions', () => {
  const path = '/data/professionalnet/posts/reactions'

  it('gives as many of each type as the post says, and charges for each', async () => {
    const sandbox = unpaced()
    const pages = await walk(sandbox, path, 'reactions', { postUrl: busy.share_url })
    const { numLikes, reactionTypeCounts } = busy.social_details
    expect(pages.length).toBe(Math.ceil(numLikes / 100))
    for (const { type, count } of reactionTypeCounts)
      expect(items(pages).filter((reaction) => reaction['type'] === type)).toHaveLength(count)
    for (const page of pages) expect(page.meta['creditsCharged']).toBe(page.items.length)
    expect(sandbox.ledger.byOperation).toEqual({ 'professionalnet.posts.reactions': numLikes })
    expect(items(await walk(sandbox, path, 'reactions', { postUrl: busy.share_url, count: 70 }))).toEqual(
      items(pages),
    )
  })

  it('responds with 400 without a post, and 404 for an unknown one, uncharged', async () => {
    const sandbox = unpaced()
    expect((await call(sandbox, `POST ${path}`, {})).body['error'].issues[0].path).toBe('postUrl')
    expect((await call(sandbox, `POST ${path}`, { postUrl: 'activity-1' })).status).toBe(404)
    expect(sandbox.ledger.spent).toBe(0)
  })
})

describe('createSandbox() person', () => {
  it.each(['posts', 'comments'])(
    'gives all %s of a person, once, in full pages at 10 credits each',
    async (property) => {
      const sandbox = unpaced()
      const path = `/data/professionalnet/person/${property}`
      let walked = 0
      for (const { url, urn } of people.slice(0, 20)) {
        const pages = await walk(sandbox, path, property, { profileUrl: url, count: 1 })
        for (const page of pages.slice(0, -1)) expect(page.items).toHaveLength(20)
        expect(items(pages).every((item) => item['authorUrn'] === urn)).toBe(true)
        expect(new Set(items(pages).map((item) => JSON.stringify(item))).size).toBe(items(pages).length)
        walked += pages.length
      }
      expect(sandbox.ledger.spent).toBe(10 * walked)
      expect((await call(sandbox, `POST ${path}`, {})).status).toBe(400)
      expect(
        (await call(sandbox, `POST ${path}`, { profileUrl: 'https://x.example/in/nobody' })).status,
      ).toBe(404)
      expect(sandbox.ledger.spent).toBe(10 * walked)
    },
  )
})

describe('createSandbox() technews', () => {
  const path = '/data/technews/search'

  it('finds stories and comments with the word, newest first, at 2 credits a page', async () => {
    const sandbox = unpaced()
    const pages = await walk(sandbox, path, 'posts', { query: 'typescript' })
    const found = items(pages)
    expect(found.length).toBeGreaterThan(60)
    expect(sandbox.ledger.spent).toBe(2 * pages.length)
    expect(new Set(found.map((post) => post['id'])).size).toBe(found.length)
    const times = found.map((post) => post['timestamp'] as string)
    expect(times).toEqual([...times].sort().reverse())
    for (const { title, text } of found) expect(`${title} ${text}`).toMatch(/typescript/i)
    for (const type of ['story', 'comment'])
      expect(items(await walk(sandbox, path, 'posts', { query: 'typescript', type, count: 7 }))).toEqual(
        found.filter((post) => post['type'] === type),
      )
  })

  it('depends on the seed alone', async () => {
    const found = async (seed: number) =>
      items(await walk(unpaced({ seed }), path, 'posts', { query: 'databases' }))
    const first = await found(8)
    expect(await found(8)).toEqual(first)
    expect(await found(9)).not.toEqual(first)
  })

  it('responds with 400 when the query is missing or the cursor belongs to another one', async () => {
    const sandbox = unpaced()
    const { body } = await call(sandbox, `POST ${path}`, { query: 'typescript' })
    const cursor = body['meta'].nextCursor
    expect((await call(sandbox, `POST ${path}`, { query: 'ai', cursor })).body['error'].issues[0].path).toBe(
      'cursor',
    )
    expect((await call(sandbox, `POST ${path}`, {})).body['error'].issues[0].path).toBe('query')
  })
})
