import { describe, expect, it } from 'vitest'
import { SocialSearch } from '../../src/index.ts'
import { type SandboxServer, serveSandbox } from '../../src/extensions/sandbox/node.ts'
import { miscounts } from '../support/ledger.ts'

const limits = { perMinute: false } as const
const connect = ({ baseUrl, apiKey }: SandboxServer) => new SocialSearch({ baseUrl, apiKey, limits })

describe('the whole path over HTTP', () => {
  it('search() keeps 100 calls of two clients with one key to two in flight', async () => {
    await using server = await serveSandbox({ limits, latency: [0, 8] })
    const clients = [connect(server), connect(server)]
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

  it('search() counts the same credits as the service after any failure', async () => {
    await using server = await serveSandbox({ limits })
    const client = connect(server)
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
