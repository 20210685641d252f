import { describe, expect, it } from 'vitest'
import type { Sandbox } from '../../src/sandbox/index.ts'
import { type Json, call, search, unpaced } from './helpers.ts'

const writer = { key: 'writer', scopes: ['mentions:read', 'mentions:write'] } as const

async function walk(sandbox: Sandbox, property: string, query: string): Promise<Json[]> {
  const found: Json[] = []
  for (let cursor = ''; ;) {
    const { status, body } = await call(sandbox, `GET /${property}?${query}${cursor}`)
    expect(status).toBe(200)
    found.push(...(body[property] as Json[]))
    if (!body['meta'].hasMore) return found
    cursor = `&cursor=${body['meta'].nextCursor}`
  }
}

describe('createSandbox() organization', () => {
  it.each([
    ['mentions', 'mention', 'men_'],
    ['listeners', 'listener', 'lis_'],
    ['feeds', 'feed', 'svw_'],
  ])('lists %s by cursor and gives each by its id, for free', async (property, name, prefix) => {
    const sandbox = unpaced()
    const found = await walk(sandbox, property, 'limit=3')
    const ids = found.map(({ id }) => id as string)
    expect(ids.length).toBeGreaterThan(4)
    expect(new Set(ids).size).toBe(ids.length)
    for (const record of found.slice(0, 10)) {
      expect(record['id']).toMatch(new RegExp(`^${prefix}[0-9a-f]{16}$`))
      expect((await call(sandbox, `GET /${property}/${record['id']}`)).body[name]).toEqual(record)
    }
    expect(await walk(unpaced({ seed: 2 }), property, 'limit=100')).not.toEqual(found)
    expect(await walk(unpaced(), property, 'limit=100')).toEqual(found)
    expect(sandbox.ledger.spent).toBe(0)
  })

  it('sorts mentions by newest or by fit, filters them, and counts what it lists', async () => {
    const sandbox = unpaced()
    const newest = await walk(sandbox, 'mentions', 'limit=100')
    const times = newest.map((mention) => mention['publishedAt'] as string)
    expect(times).toEqual([...times].sort().reverse())
    const fits = (await walk(sandbox, 'mentions', 'sort=fitScore')).map(
      (mention) => mention['fitScore'] as number,
    )
    expect(fits).toEqual([...fits].sort((a, b) => b - a))
    expect(fits).toHaveLength(newest.length)
    const { listenerId } = newest[0] as { listenerId: string }
    for (const [field, value] of Object.entries({ state: 'new', network: 'microblog', listenerId })) {
      const expected = newest.filter((mention) => mention[field] === value)
      expect(await walk(sandbox, 'mentions', `${field}=${value}`)).toEqual(expected)
      expect((await call(sandbox, `GET /mentions/count?${field}=${value}`)).body['count']).toBe(
        expected.length,
      )
    }
    for (const query of ['sort=best', 'limit=0', 'limit=101', 'state=lost', 'cursor=x'])
      expect((await call(sandbox, `GET /mentions?${query}`)).body['error'].issues[0].path).toBe(
        query.split('=')[0],
      )
  })

  it('changes the state of a mention for this sandbox alone', async () => {
    const sandbox = unpaced({ keys: [writer] })
    const [mention] = await walk(sandbox, 'mentions', 'state=new')
    const at = `/mentions/${mention!['id']}`
    const count = async () => (await call(sandbox, 'GET /mentions/count?state=done')).body['count'] as number
    const before = await count()
    const { status, body } = await call(sandbox, `PATCH ${at}/state`, { state: 'done' }, writer.key)
    expect([status, body['mention']]).toEqual([200, { ...mention, state: 'done' }])
    expect((await call(sandbox, `GET ${at}`)).body['mention'].state).toBe('done')
    expect(await count()).toBe(before + 1)
    expect((await call(unpaced(), `GET ${at}`)).body['mention'].state).toBe('new')
  })

  it('loses and repeats nothing when a walk over a state changes states', async () => {
    const sandbox = unpaced({ keys: [writer] })
    const fresh = (await walk(sandbox, 'mentions', 'state=new')).map(({ id }) => id as string)
    const seen: string[] = []
    for (let cursor = ''; ;) {
      const { body } = await call(sandbox, `GET /mentions?state=new&limit=7${cursor}`)
      for (const { id } of body['mentions'] as { id: string }[]) {
        seen.push(id)
        await call(sandbox, `PATCH /mentions/${id}/state`, { state: 'seen' }, writer.key)
      }
      if (!body['meta'].hasMore) break
      cursor = `&cursor=${body['meta'].nextCursor}`
    }
    expect(seen).toEqual(fresh)
  })

  it('refuses an unknown state, a body without one, and an unknown mention', async () => {
    const sandbox = unpaced({ keys: [writer] })
    const [{ id }] = (await walk(sandbox, 'mentions', 'limit=100')) as [{ id: string }]
    const patch = (id: string, body: unknown) =>
      call(sandbox, `PATCH /mentions/${id}/state`, body, writer.key)
    for (const body of [{ state: 'gone' }, {}, { state: 7 }])
      expect((await patch(id, body)).body['error'].issues[0].path).toBe('state')
    expect((await patch(id, undefined)).status).toBe(400)
    expect((await patch('men_0', { state: 'done' })).status).toBe(404)
  })

  it('returns the context, and a usage that equals the ledger', async () => {
    const sandbox = unpaced()
    expect((await call(sandbox, 'GET /organization/context')).body['context'].name).toEqual(
      expect.any(String),
    )
    const usage = async () => (await call(sandbox, 'GET /organization/usage')).body['usage']
    expect(await usage()).toMatchObject({ creditsSpent: 0, byOperation: {} })
    await search(sandbox, { query: 'coffee' })
    await call(sandbox, 'POST /data/technews/search', { query: 'ai' })
    await call(sandbox, 'POST /data/professionalnet/posts/search', { query: 'ai' })
    const { spent, byOperation } = sandbox.ledger
    expect(spent).toBe(8)
    expect(await usage()).toMatchObject({ creditsSpent: spent, byOperation })
  })
})
