import type { AddressInfo } from 'node:net'
import express, { type Express } from 'express'
import { SocialSearch } from 'social-search-sdk'
import { toNodeListener } from 'social-search-sdk/node'
import { createProxy } from 'social-search-sdk/proxy'
import { createSandbox } from 'social-search-sdk/sandbox'
import { afterEach, describe, expect, it, vi } from 'vitest'

const writer = {
  key: 'writer',
  scopes: ['search:read', 'mentions:read', 'mentions:write'],
} as const
const closing: (() => unknown)[] = []
afterEach(() => Promise.all(closing.splice(0).map((close) => close())))

function proxyListener() {
  const sandbox = createSandbox({ keys: [writer] })
  const client = new SocialSearch({ ...sandbox.clientOptions(), apiKey: writer.key })
  const allow = ['microblog.search', 'mentions.list', 'mentions.setState'] as const
  return toNodeListener(createProxy({ client, allow, authorize: () => ({ id: 'ada' }) }))
}

async function clientOf(app: Express): Promise<SocialSearch> {
  const server = app.listen(0, '127.0.0.1')
  closing.push(() => new Promise((closed) => server.close(closed)))
  await new Promise((listening) => server.once('listening', listening))
  const { port } = server.address() as AddressInfo
  return new SocialSearch({ baseUrl: `http://127.0.0.1:${port}/api/social`, auth: false, retry: false })
}

describe('createProxy() in Express', () => {
  it('serves GET, POST and PATCH when it is mounted before express.json()', async () => {
    const app = express().use('/api/social', proxyListener()).use(express.json())
    const client = await clientOf(app)
    expect((await client.microblog.search({ query: 'coffee' })).posts).toHaveLength(20)
    const { mentions } = (await client.mentions.list()) as unknown as { mentions: { id: string }[] }
    await client.mentions.setState(mentions[0]!.id, { state: 'done' })
  })

  it('responds with 500 and logs how to mount it when express.json() runs first', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const app = express().use(express.json()).use('/api/social', proxyListener())
    const client = await clientOf(app)
    await expect(client.microblog.search({ query: 'coffee' })).rejects.toMatchObject({ status: 500 })
    expect(log.mock.calls).toEqual([[expect.stringContaining('mount the proxy before any body parser')]])
  })
})
