import { afterAll, describe, expect, it } from 'vitest'
import { SocialSearch } from '../../src/index.ts'
import {
  type SandboxServer,
  type SandboxServerOptions,
  serveSandbox,
} from '../../src/extensions/sandbox/node.ts'
import { miscounts } from '../support/ledger.ts'

const servers: SandboxServer[] = []
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()))
})

async function serve(options?: SandboxServerOptions): Promise<SandboxServer> {
  const server = await serveSandbox(options)
  servers.push(server)
  return server
}

/** A sandbox and a client that know no limit a minute, so that a test need not wait for it. */
async function unpaced(
  options?: SandboxServerOptions,
): Promise<{ server: SandboxServer; client: SocialSearch }> {
  const server = await serve({ ...options, limits: { perMinute: false } })
  return { server, client: connect(server) }
}

function connect({ baseUrl, apiKey }: SandboxServer): SocialSearch {
  return new SocialSearch({ baseUrl, apiKey, limits: { perMinute: false } })
}

describe('the whole path over HTTP', () => {
  it('search() keeps 100 calls of two clients with one key to two in flight', async () => {
    const { server, client } = await unpaced({ latency: [0, 8] })
    const clients = [client, connect(server)]
    const calls = Array.from({ length: 100 }, (_, i) =>
      clients[i % 2]!.microblog.search({ query: 'coffee', count: 1 }),
    )
    const answers = await Promise.all(calls)
    expect(answers.every(({ posts }) => posts.length === 1)).toBe(true)
    expect(server.requests).toHaveLength(100)
    expect(Math.max(...server.requests.map(({ inFlight }) => inFlight))).toBe(2)
    expect(server.requests.every(({ status }) => status === 200)).toBe(true)
    expect(clients[0]!.credits.spent + clients[1]!.credits.spent).toBe(server.ledger.spent)
  })

  it('search() waits at least the announced 2 s after a 429, and so do all calls on its surface', async () => {
    const { server, client } = await unpaced()
    await client.microblog.search({ query: 'warm' })
    server.inject({ status: 429, retryAfter: 2 })
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((query) => client.microblog.search({ query }).withResponse()),
    )
    const limited = server.requests.findIndex(({ status }) => status === 429)
    const others = server.requests
      .slice(limited + 1)
      .filter(({ at }) => at > server.requests[limited]!.at + 1000)
    // The one that was in flight beside it may have arrived at the same moment; all others came after the announced time.
    expect(others.length).toBeGreaterThanOrEqual(3)
    for (const { at } of others) expect(at - server.requests[limited]!.at).toBeGreaterThanOrEqual(2000)
    expect(answers.flatMap(({ attempts }) => attempts.map(({ status }) => status)).sort()).toEqual([
      200, 200, 200, 200, 429,
    ])
  })

  it('search() counts the same credits as the service after any failure', async () => {
    const { server, client } = await unpaced()
    server.inject({ status: 502 })
    server.inject({ reset: 'before' })
    server.inject({ reset: 'after' })
    server.inject({ cut: 'truncate' })
    server.inject({ cut: 'reset' })
    server.inject({ status: 500 })
    server.inject({ status: 504, body: '<h1>Gateway timeout</h1>' })
    for (let i = 0; i < 10; i++) await client.microblog.search({ query: 'coffee' }).catch(() => {})
    expect(miscounts(client.credits, server.ledger.spent)).toEqual([])
    expect(client.credits.spent).toBeGreaterThan(0)
  })
})
