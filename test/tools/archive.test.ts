import { describe, expect, it } from 'vitest'
import type { MicroblogPost } from '../../src/index.ts'
import { createTools } from '../../src/extensions/tools/index.ts'
import { createMcp } from '../../src/extensions/mcp/index.ts'
import { connect } from '../mcp/connect.ts'
import { setUp } from './set-up.ts'

const topics = ['coffee', 'typescript', 'rust', 'cycling', 'garden', 'tea', 'python']

/** A collection with all posts about some topics. */
async function collect(known: readonly string[]) {
  const { client } = setUp({}, 0)
  const byTopic = new Map<string, MicroblogPost[]>()
  for (const query of known)
    byTopic.set(query, await client.microblog.search({ query, category: 'Latest' }).toArray({ limit: 100 }))
  const records = [...byTopic.values()].flat()
  const times = records.map(({ timestamp }) => timestamp).sort()
  const [from = null, to = null] = [times[0], times.at(-1)]
  const reach = {
    records: records.length,
    from,
    to,
    lastCheck: '2026-11-20T12:00:00Z',
    gaps: 1,
    searches: known,
  }
  const find = (query: string, { limit }: { limit: number }) => {
    const found = byTopic.get(query) ?? []
    const kinds =
      found.length === 0 ? [] : [{ operation: { id: 'microblog.search' }, records: found.slice(0, limit) }]
    return { kinds, total: found.length, reach }
  }
  return { find }
}

describe('archive_search', () => {
  it('answers for free as a paid search does', async () => {
    const { client, sandbox } = setUp()
    const tools = createTools({ client, budget: 100, archive: await collect(['coffee']) })
    const paid = await tools.microblog_search.execute({ query: 'coffee', category: 'Latest' })
    const free = await tools.archive_search?.execute({ query: 'coffee' })
    expect(free?.items).toEqual(paid.items)
    expect([free?.items?.length, free?.credits.spent, sandbox.ledger.spent]).toEqual([20, 0, 2])
  })

  it('has the newest records first, also within a minute, and equal ones in their order', async () => {
    const post = (id: string, timestamp?: string) => ({ id, body: id, ...(timestamp && { timestamp }) })
    const records = [
      post('newest', '2026-11-20T12:00:50Z'),
      post('same 1', '2026-11-20T12:00:20Z'),
      post('same 2', '2026-11-20T12:00:20Z'),
      post('oldest', '2026-11-20T12:00:10Z'),
      post('timeless 1'),
      post('timeless 2'),
    ]
    const stories = [post('between', '2026-11-20T12:00:30Z')]
    const kinds = [
      { operation: { id: 'microblog.search' }, records },
      { operation: { id: 'technews.search' }, records: stories },
    ]
    const reach = { records: 7, from: null, to: null, lastCheck: null, gaps: 0 }
    const { tools } = setUp({ archive: { find: () => ({ kinds, total: 7, reach }) } })
    const { items } = (await tools.archive_search?.execute({ query: 'tea' })) ?? {}
    const ids = ['newest', 'between', 'same 1', 'same 2', 'oldest', 'timeless 1', 'timeless 2']
    expect(items?.map(({ text, body }) => text ?? body)).toEqual(ids)
  })

  it('says what the collection covers, reads on with next, and counts', async () => {
    const { client, sandbox } = setUp()
    const search = createTools({ client, budget: 1, archive: await collect(['coffee']) }).archive_search
    const first = await search?.execute({ query: 'coffee' })
    expect(first).toMatchObject({ ok: true, returned: 20, credits: { spent: 0, remaining: 1 } })
    const covered =
      /data.*The collection has 100 records from .*, updated 2026-11-20T12:00:00Z; posts are missing in 1 span/s
    expect(first?.notice).toMatch(covered)
    const second = await search?.execute({ query: 'coffee', next: first?.next })
    expect(second?.items?.[0]).not.toEqual(first?.items?.[0])
    const counted = await search?.execute({ query: 'coffee', summary: 'day' })
    expect(counted?.counts?.reduce((sum, [, count]) => sum + count, 0)).toBe(100)
    expect(sandbox.requests).toEqual([])
  })

  it('names five searches of many when nothing matches, and none when something does', async () => {
    const { client } = setUp()
    const archive = await collect(topics)
    const { archive_search } = createTools({ client, budget: 1, archive })
    const noticeOf = async (query: string) => (await archive_search?.execute({ query }))?.notice
    const five = 'searches for "coffee", "typescript", "rust", "cycling", "garden" and 2 more.'
    expect(await noticeOf('opera')).toContain(five)
    expect(await noticeOf('tea')).not.toContain('typescript')
  })

  it('fails as other tools do when the collection cannot be read', async () => {
    const { client } = setUp()
    const find = () => Promise.reject(new Error('disk'))
    const { archive_search } = createTools({ client, budget: 1, archive: { find } })
    const result = await archive_search?.execute({ query: 'a' })
    expect(result?.error).toMatchObject({ code: 'internal', charged: 'no' })
  })
})

describe('createMcp() with an archive', () => {
  it('lists the free tool first, and tells models to ask it first', async () => {
    const request = connect(createMcp({ client: setUp().client, budget: 5, archive: await collect([]) }))
    const [first] = (await request('tools/list')).tools ?? []
    const annotations = { readOnlyHint: true, openWorldHint: false }
    expect(first).toMatchObject({ name: 'archive_search', annotations })
    expect((await request('server/discover')).instructions).toMatch(/^Ask `archive_search` first/)
  })
})
