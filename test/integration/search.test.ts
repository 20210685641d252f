import { afterAll, describe, expect, it } from 'vitest'
import {
  CreditBudget,
  type MicroblogSearchParams,
  SocialSearch,
  isSocialSearchError,
} from '../../src/index.ts'
import { type SandboxServer, type SandboxServerOptions, serveSandbox } from '../../src/sandbox/node.ts'
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

  it('search() sends a metered POST once when its connection resets after sending', async () => {
    const { server, client } = await unpaced()
    server.inject({ reset: 'after' })
    const error: unknown = await client.microblog.search({ query: 'coffee' }).catch((error: unknown) => error)
    expect(isSocialSearchError(error) && error.charged).toBe('unknown')
    expect(server.requests).toHaveLength(1)
    expect(server.ledger.spent).toBe(2)
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 2 })
  })

  it('search() delivers every post once, across a stop and a resume through JSON', async () => {
    const { server, client } = await unpaced()
    const params: MicroblogSearchParams = { query: 'climate', category: 'Latest' }
    const whole: string[] = []
    for await (const { id } of client.microblog.search(params)) whole.push(id)
    expect(whole.length).toBeGreaterThan(100)

    const inParts: string[] = []
    let next: MicroblogSearchParams | null = params
    while (next !== null) {
      const stored: string = JSON.stringify(next)
      const fresh = connect(server)
      for await (const page of fresh.microblog
        .search(JSON.parse(stored) as MicroblogSearchParams, { maxPages: 2 })
        .pages()) {
        inParts.push(...page.posts.map(({ id }) => id))
        next = page.next
      }
    }
    expect(inParts).toEqual(whole)
    expect(new Set(whole).size).toBe(whole.length)
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

  it('search() frees its slot when it times out on a stalled body', async () => {
    const { server, client } = await unpaced()
    server.inject({ cut: 'stall', times: 2 })
    const hurried = client.withOptions({ timeout: 200 })
    const stalled = [1, 2].map(() =>
      hurried.microblog.search({ query: 'coffee' }).catch((error: unknown) => (error as Error).name),
    )
    expect(await Promise.all(stalled)).toEqual(['TimeoutError', 'TimeoutError'])
    expect((await client.microblog.search({ query: 'coffee' })).posts).toHaveLength(20)
  })

  it('search() explains a 403 by scope and member', async () => {
    const server = await serve({ keys: [{ key: 'feeds_only_key', scopes: ['feeds:read'] }] })
    const client = new SocialSearch({ baseUrl: server.baseUrl, apiKey: 'feeds_only_key' })
    await expect(client.microblog.search({ query: 'coffee' })).rejects.toMatchObject({
      name: 'PermissionDeniedError',
      requiredScopes: ['search:read'],
      charged: 'no',
    })
  })

  it('search() stops at a budget that two clients share', async () => {
    const { server } = await unpaced()
    const budget = new CreditBudget(10)
    const clients = [connect(server), connect(server)].map((client) => client.withOptions({ budget }))
    const walks = clients.map((client) =>
      client.microblog.search({ query: 'coffee' }).toArray({ limit: 1000 }),
    )
    const ends = await Promise.allSettled(walks)
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(server.ledger.spent).toBe(10)
    expect(budget.remaining).toBe(0)
  })

  it('close() ends open calls', async () => {
    const { client } = await unpaced({ latency: 60_000 })
    const call = client.microblog.search({ query: 'coffee' }).then()
    await new Promise((resolve) => setTimeout(resolve, 50))
    const ended = expect(call).rejects.toMatchObject({ name: 'ClosedError', charged: 'unknown' })
    await client.close()
    await ended
  })
})
