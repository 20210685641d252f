import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PermissionDeniedError, SocialSearch } from '../../src/index.ts'
import { type SandboxServer, serveSandbox } from '../../src/extensions/sandbox/node.ts'

const writer = { key: 'writer_key_1', scopes: ['mentions:read', 'mentions:write'] } as const
const limits = { perMinute: false } as const
let server: SandboxServer
let client: SocialSearch

beforeAll(async () => {
  server = await serveSandbox({ limits, keys: [writer] })
  client = new SocialSearch({ baseUrl: server.baseUrl, apiKey: server.apiKey, limits })
})
afterAll(() => server.close())

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

describe('the whole service over HTTP', () => {
  it('walks professional-network posts to their end, and pays for the empty page there', async () => {
    const before = client.credits.spent
    const posts = await collect(client.professionalnet.posts.search({ query: 'the' }, { limit: 35 }))
    expect(new Set(posts.map(({ urn }) => urn)).size).toBe(35)
    expect(client.credits.spent - before).toBe(4 * 4)
  })

  it('lists every industry once, in order', async () => {
    const industries = await collect(client.professionalnet.industries.list())
    const { meta } = await client.professionalnet.industries.list()
    expect(industries).toHaveLength(meta.total)
    expect(new Set(industries.map(({ id }) => id)).size).toBe(meta.total)
  })

  it('pays for comments and reactions one by one', async () => {
    const [post] = await client.professionalnet.posts.search({ query: 'the' }).toArray({ limit: 1 })
    const postUrl = post!.share_url
    const comments = await client.professionalnet.posts.comments({ postUrl }).withResponse()
    expect(comments.credits.spent).toBe(comments.data.comments.length)
    const reactions = await client.professionalnet.posts.reactions({ postUrl }).withResponse()
    expect(reactions.credits.spent).toBe((reactions.data['reactions'] as unknown[]).length)
  })

  it('walks undocumented lists by the inferred convention', async () => {
    const mentions = await collect(client.mentions.list())
    expect(mentions).toHaveLength(Number((await client.mentions.count())['count']))
    expect(await collect(client.technews.search({ query: 'the' }, { limit: 25 }))).toHaveLength(25)
    expect((await collect(client.listeners.list())).length).toBeGreaterThan(0)
    expect((await collect(client.feeds.list())).length).toBeGreaterThan(0)
  })

  it('changes the state of a mention with a key that has the scope', async () => {
    const [mention] = await collect(client.mentions.list({}, { limit: 1 }))
    const id = String(mention!['id'])
    await expect(client.mentions.setState(id, { state: 'done' })).rejects.toBeInstanceOf(
      PermissionDeniedError,
    )
    const other = new SocialSearch({ baseUrl: server.baseUrl, apiKey: writer.key, limits })
    await other.mentions.setState(id, { state: 'done' })
    expect(await client.mentions.get(id)).toMatchObject({ mention: { id, state: 'done' } })
  })

  it('publishes the assumed rates, and a usage that equals the ledger', async () => {
    expect((await client.creditRates()).differences).toEqual([])
    const { usage } = (await client.organization.usage()) as unknown as { usage: { creditsSpent: number } }
    expect(usage.creditsSpent).toBe(server.ledger.spent)
    expect(client.credits).toMatchObject({ spent: server.ledger.spent, uncertain: 0, reserved: 0 })
  })
})
