import { describe, expect, it } from 'vitest'
import { refused, search, unpaced, walk } from './helpers.ts'

describe('createSandbox() paging', () => {
  it('gives every post once, in order, when walked in pages of any size', async () => {
    const sandbox = unpaced()
    for (const category of ['Top', 'Latest'] as const) {
      const params = { query: 'typescript', category }
      const whole = await walk(sandbox, params)
      expect(whole.length).toBeGreaterThan(300)
      expect(new Set(whole.map(({ id }) => id)).size).toBe(whole.length)
      expect(await walk(sandbox, params, [1, 20, 7, 13])).toEqual(whole)
    }
  })

  it('reports the size of each page, and a cursor exactly when there is more', async () => {
    const sandbox = unpaced()
    let cursor: string | undefined
    let left = (await walk(sandbox, { query: 'climate' })).length
    while (left > 0) {
      const { body } = await search(sandbox, { query: 'climate', cursor })
      const size = Math.min(20, left)
      left -= size
      expect(body.posts).toHaveLength(size)
      expect(body.meta.returnedCount).toBe(size)
      expect(body.meta.hasMore).toBe(left > 0)
      expect('nextCursor' in body.meta).toBe(left > 0)
      cursor = body.meta.nextCursor
    }
  })

  it('ends without a cursor when the last page is full', async () => {
    const sandbox = unpaced()
    const { length } = await walk(sandbox, { query: 'canal' })
    expect(length).toBeGreaterThan(1)
    expect(length).toBeLessThanOrEqual(20)
    const { body } = await search(sandbox, { query: 'canal', count: length })
    expect(body.meta).toEqual({ returnedCount: length, hasMore: false })
  })

  it('answers an empty page when nothing matches', async () => {
    const { status, body } = await search(unpaced(), { query: 'nothing like qqqqzzzz' })
    expect([status, body.posts, body.meta]).toEqual([200, [], { returnedCount: 0, hasMore: false }])
  })

  it('continues in another sandbox when its posts are the same', async () => {
    const params = { query: 'coffee' }
    const first = await search(unpaced({ seed: 3 }), params)
    const again = { ...params, cursor: first.body.meta.nextCursor }
    const [here, there] = [unpaced({ seed: 3 }), unpaced({ seed: 4 })]
    const second = await search(here, again)
    expect(second.status).toBe(200)
    expect(second.body.posts).not.toEqual(first.body.posts)
    expect((await refused(there, again)).status).toBe(400)
  })

  it('answers 400 at cursor when the cursor goes with another search', async () => {
    const sandbox = unpaced()
    const params = { query: 'coffee', category: 'Latest', filters: { lang: 'en', removeReplies: true } }
    const { body } = await search(sandbox, params)
    const cursor = body.meta.nextCursor
    expect((await search(sandbox, { ...params, cursor, count: 3 })).status).toBe(200)
    expect(
      (
        await search(sandbox, {
          cursor,
          filters: { removeReplies: true, lang: 'en' },
          category: 'Latest',
          query: 'coffee',
        })
      ).status,
    ).toBe(200)
    for (const other of [
      { ...params, query: 'typescript' },
      { ...params, category: 'Top' },
      { query: 'coffee', filters: params.filters },
      { ...params, filters: { lang: 'en' } },
      { ...params, filters: { lang: 'de', removeReplies: true } },
    ]) {
      const { status, body } = await refused(sandbox, { ...other, cursor })
      expect(status).toBe(400)
      expect(body.error.issues?.map(({ path }) => path)).toEqual(['cursor'])
    }
  })

  it('answers 400 at cursor when any character of it was changed', async () => {
    const sandbox = unpaced()
    const { body } = await search(sandbox, { query: 'coffee' })
    const cursor = body.meta.nextCursor ?? ''
    expect(cursor).toMatch(/^[\w-]+$/)
    for (let i = 0; i < cursor.length; i++) {
      const other = cursor[i] === 'A' ? 'B' : 'A'
      const answer = await refused(sandbox, {
        query: 'coffee',
        cursor: cursor.slice(0, i) + other + cursor.slice(i + 1),
      })
      expect(answer.body.error.issues?.map(({ path }) => path)).toEqual(['cursor'])
    }
    for (const changed of [`${cursor}=`, `${cursor}A`, cursor.slice(0, -1), '']) {
      expect((await refused(sandbox, { query: 'coffee', cursor: changed })).status).toBe(400)
    }
  })

  it('answers 400 when a cursor is built for another offset by hand', async () => {
    const sandbox = unpaced()
    const { body } = await search(sandbox, { query: 'coffee' })
    const content = JSON.parse(atob(body.meta.nextCursor ?? '')) as { o: number }
    const forged = btoa(JSON.stringify({ ...content, o: 40 })).replaceAll('=', '')
    expect((await refused(sandbox, { query: 'coffee', cursor: forged })).status).toBe(400)
  })
})
