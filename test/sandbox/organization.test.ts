import { describe, expect, it } from 'vitest'
import { all, call, issuesOf, setUp } from './helpers.ts'

/** A sandbox, and a way to change the state of its mentions. */
function setUpWriter() {
  const { sandbox, client } = setUp()
  const setState = (id: unknown, body: unknown) =>
    call(sandbox, `PATCH /mentions/${String(id)}/state`, body, { key: sandbox.writeKey })
  const count = async (state: string) => (await client.mentions.count({ state }))['count']
  return { client, setState, count }
}

describe('createSandbox() organization', () => {
  it.each([
    ['mentions', 'mention', 'men_'],
    ['listeners', 'listener', 'lis_'],
    ['feeds', 'feed', 'svw_'],
  ] as const)('lists %s by cursor and gives each by its id, for free', async (property, name, prefix) => {
    const { sandbox, client } = setUp()
    const list = (of = client, count = 3) => of[property].list({ count }).toArray(all)
    const found = await list()
    const ids = found.map(({ id }) => String(id))
    expect(ids.length).toBeGreaterThan(3)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [index, id] of ids.slice(0, 10).entries()) {
      expect(id).toMatch(new RegExp(`^${prefix}[0-9a-f]{16}$`))
      expect((await client[property].get(id))[name]).toEqual(found[index])
    }
    expect(await list(setUp({ seed: 2 }).client, 100)).not.toEqual(found)
    expect(await list(setUp().client, 100)).toEqual(found)
    expect(sandbox.ledger.spent).toBe(0)
  })

  it('sorts mentions by newest or by fit, filters them, and counts what it lists', async () => {
    const { client } = setUp()
    const newest = await client.mentions.list({ count: 100 }).toArray(all)
    const times = newest.map(({ publishedAt }) => String(publishedAt))
    expect(times).toEqual([...times].sort().reverse())
    const byFit = await client.mentions.list({ sort: 'fitScore' }).toArray(all)
    const fits = byFit.map(({ fitScore }) => Number(fitScore))
    expect(fits).toEqual([...fits].sort((a, b) => b - a))
    expect(fits).toHaveLength(newest.length)
    const listenerId = newest[0]?.['listenerId']
    for (const [field, value] of Object.entries({ state: 'new', network: 'microblog', listenerId })) {
      const expected = newest.filter((mention) => mention[field] === value)
      expect(await client.mentions.list({ [field]: value }).toArray(all)).toEqual(expected)
      expect((await client.mentions.count({ [field]: value }))['count']).toBe(expected.length)
    }
    const good = newest.filter(({ fitScore }) => Number(fitScore) >= fits[5]!)
    expect(await client.mentions.list({ minFitScore: fits[5] }).toArray(all)).toEqual(good)
    expect((await client.mentions.count({ minFitScore: fits[5] }))['count']).toBe(good.length)
    const [until, since] = [times[3], times[9]]
    const between = newest.slice(4, 10)
    expect(await client.mentions.list({ since, until }).toArray(all)).toEqual(between)
    expect((await client.mentions.count({ since, until }))['count']).toBe(between.length)
  })

  it('gives at most 100 records a page', async () => {
    const content = { listeners: Array.from({ length: 101 }, (_, n) => ({ id: `lis_${n}` })) }
    const { listeners } = await setUp({ content }).client.listeners.list({ count: 101 })
    expect(listeners).toHaveLength(100)
  })

  it('refuses a cursor of another list', async () => {
    expect(issuesOf(await call(setUp().sandbox, 'GET /mentions?cursor=x'))).toEqual(['cursor'])
  })

  it('changes the state of a mention for this sandbox alone', async () => {
    const { client, setState, count } = setUpWriter()
    const [mention] = await client.mentions.list({ state: 'new' }).toArray({ limit: 1 })
    const id = String(mention?.['id'])
    const before = Number(await count('done'))
    const { status, body } = await setState(id, { state: 'done' })
    expect([status, body['mention']]).toEqual([200, { ...mention, state: 'done' }])
    expect((await client.mentions.get(id))['mention']).toEqual(body['mention'])
    expect(await count('done')).toBe(before + 1)
    expect((await setUp().client.mentions.get(id))['mention']).toEqual(mention)
  })

  it('loses and repeats nothing when a walk over a state changes states', async () => {
    const { client, setState } = setUpWriter()
    const fresh = await client.mentions.list({ state: 'new' }).toArray(all)
    const seen: unknown[] = []
    for await (const mention of client.mentions.list({ state: 'new', count: 7 })) {
      seen.push(mention)
      await setState(mention['id'], { state: 'seen' })
    }
    expect(seen).toEqual(fresh)
  })

  it('refuses a body without a state, and an unknown mention', async () => {
    const { client, setState } = setUpWriter()
    const [mention] = await client.mentions.list().toArray({ limit: 1 })
    for (const body of [{}, { state: 7 }])
      expect(issuesOf(await setState(mention?.['id'], body))).toEqual(['state'])
    expect((await setState(mention?.['id'], undefined)).status).toBe(400)
    expect((await setState('men_0', { state: 'done' })).status).toBe(404)
  })

  it('returns the context, and a usage that equals the ledger', async () => {
    const { sandbox, client } = setUp()
    expect(await client.organization.context()).toMatchObject({ context: { name: expect.any(String) } })
    const usage = async () => (await client.organization.usage())['usage']
    expect(await usage()).toMatchObject({ creditsSpent: 0, byOperation: {} })
    await client.microblog.search({ query: 'coffee' })
    await client.technews.search({ query: 'ai' })
    await client.professionalnet.posts.search({ query: 'ai' })
    const { spent, byOperation } = sandbox.ledger
    expect(spent).toBe(8)
    expect(await usage()).toMatchObject({ creditsSpent: spent, byOperation })
  })
})
