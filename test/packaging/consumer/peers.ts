// Uses whichever versions of optional packages are installed: arguments are the URLs of a Redis and a Postgres.
import { spawnSync } from 'node:child_process'
import { metrics, trace } from '@opentelemetry/api'
import { QueryClient } from '@tanstack/query-core'
import Redis from 'ioredis'
import pg from 'pg'
import { createClient } from 'redis'
import { SocialSearch } from 'social-search-sdk'
import { otelObserver } from 'social-search-sdk/otel'
import { searchOptions } from 'social-search-sdk/query'
import { createSandbox } from 'social-search-sdk/sandbox'
import { SharedLimiter, type SharedStore, postgresStore, redisStore } from 'social-search-sdk/shared'
import { z } from 'zod'

const [redisUrl = '', postgresUrl = ''] = process.argv.slice(2)
const params = { query: 'coffee' }
const expect = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(what)
}

// A connection that a store leaves open would keep the process alive.
setTimeout(() => {
  console.error('it does not end: something hangs, or a connection is still open')
  process.exit(1)
}, 60_000).unref()

const redis = createClient({ url: redisUrl })
await redis.connect()
const ioredis = new Redis(redisUrl)
const pool = new pg.Pool({ connectionString: postgresUrl })
const stores: Record<string, SharedStore> = {
  redis: redisStore(redis),
  ioredis: redisStore(ioredis),
  pg: postgresStore(pool),
}
for (const [name, store] of Object.entries(stores)) {
  const { fetch, requests, clientOptions } = createSandbox({ latency: 20 })
  const limiters = [1, 2].map(() => new SharedLimiter({ store, organization: name, limits: { inFlight: 1 } }))
  const searches = limiters.flatMap((limiter) => {
    const { baseUrl, apiKey } = clientOptions()
    const client = new SocialSearch({ baseUrl, apiKey, fetch, limiter })
    return [client.microblog.search(params), client.microblog.search({ query: 'tea' })]
  })
  await Promise.all(searches)
  expect(requests.length === 4, `${name}: not every search was sent`)
  const isShared = requests.every(({ inFlight }) => inFlight === 1)
  expect(isShared, `${name}: two limiters do not share a slot`)
  await Promise.all(limiters.map((limiter) => limiter.close()))
}
await Promise.all([redis.quit(), ioredis.quit(), pool.end()])

const observer = otelObserver({ tracer: trace.getTracer('peers'), meter: metrics.getMeter('peers') })
const client = new SocialSearch({ ...createSandbox().clientOptions(), observers: [observer] })
const schema = z.object({ id: z.string() })
const { posts } = await client.microblog.search(params, { schema })
expect(posts[0]?.id.length !== 0, 'a schema of zod checks no post')

const cached = new QueryClient()
// eslint-disable-next-line @typescript-eslint/no-deprecated -- the oldest version has no other
const { posts: queried } = await cached.fetchQuery(searchOptions(client, 'microblog.search', params))
expect(queried.length === 20, 'TanStack Query fetches no posts')

const clientInfo = { name: 'peers', version: '1' }
const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello })}\n`
const words = ['node_modules/social-search-sdk/dist/cli/main.js', 'mcp', '--sandbox']
const { stdout, stderr } = spawnSync(process.execPath, words, { input, encoding: 'utf8' })
expect(stdout.includes('"serverInfo"'), `the MCP server does not answer: ${stdout}${stderr}`)
