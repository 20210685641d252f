import { describe, expect, it } from 'vitest'
import { all, issuesOf, search, setUp } from './helpers.ts'

describe('createSandbox() paging', () => {
  it.each(['Top', 'Latest'] as const)(
    'gives every post of %s once, in order, when pages have any size, and a cursor if there is more',
    async (category) => {
      const { sandbox, client } = setUp()
      const params = { query: 'typescript', category }
      const left = (await client.microblog.search(params).toArray(all)).map(({ id }) => id)
      expect(left.length).toBeGreaterThan(300)
      expect(new Set(left).size).toBe(left.length)
      const sizes = [1, 20, 7, 13]
      for (let cursor: string | undefined, page = 0; left.length > 0; page++) {
        const size = sizes[page % 4] ?? 1
        const { body } = await search(sandbox, { ...params, cursor, count: size })
        const { posts, meta } = body as { posts: { id: string }[]; meta: { nextCursor?: string } }
        expect(posts.map(({ id }) => id)).toEqual(left.splice(0, size))
        const hasMore = left.length > 0
        const nextCursor = hasMore && { nextCursor: expect.any(String) as unknown }
        expect(meta).toEqual({ returnedCount: posts.length, hasMore, ...nextCursor })
        cursor = meta.nextCursor
      }
    },
  )

  it('ends without a cursor when the last page is full', async () => {
    const microblog = Array.from({ length: 20 }, () => ({ body: 'Acme opens' }))
    const { client } = setUp({ content: { microblog } })
    const { meta } = await client.microblog.search({ query: 'acme' })
    expect(meta).toEqual({ returnedCount: 20, hasMore: false })
  })

  it('answers 400 at cursor when the cursor goes with another search, or with other posts', async () => {
    const { sandbox } = setUp()
    const params = { query: 'coffee', category: 'Latest', filters: { lang: 'en', removeReplies: true } }
    const cursor: string = (await search(sandbox, params)).body['meta'].nextCursor
    const reordered = {
      cursor,
      filters: { removeReplies: true, lang: 'en' },
      category: 'Latest',
      query: 'coffee',
    }
    for (const same of [{ ...params, cursor, count: 3 }, reordered])
      expect((await search(sandbox, same)).status).toBe(200)
    for (const other of [
      { ...params, query: 'typescript' },
      { ...params, category: 'Top' },
      { query: 'coffee', filters: params.filters },
      { ...params, filters: { lang: 'en' } },
      { ...params, filters: { lang: 'de', removeReplies: true } },
    ])
      expect(issuesOf(await search(sandbox, { ...other, cursor }))).toEqual(['cursor'])
    const { sandbox: withOtherPosts } = setUp({ seed: 4 })
    expect(issuesOf(await search(withOtherPosts, { ...params, cursor }))).toEqual(['cursor'])
  })

  it('answers 400 at cursor when any character of it was changed, or it is built by hand', async () => {
    const { sandbox } = setUp()
    const cursor: string = (await search(sandbox, { query: 'coffee' })).body['meta'].nextCursor
    expect(cursor).toMatch(/^[\w-]+$/)
    const changed = Array.from(
      cursor,
      (character, i) => cursor.slice(0, i) + (character === 'A' ? 'B' : 'A') + cursor.slice(i + 1),
    )
    const [at, offset, hash] = cursor.split('-')
    expect(offset).toBe('20')
    const forged = [at, 40, hash].join('-')
    for (const other of [...changed, forged, `${cursor}=`, `${cursor}A`, cursor.slice(0, -1), ''])
      expect(issuesOf(await search(sandbox, { query: 'coffee', cursor: other }))).toEqual(['cursor'])
  })
})
