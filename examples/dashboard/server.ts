/** Serves the page, the proxy that has the key, and a sandbox of the service, all on one port. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import react from '@vitejs/plugin-react'
import { CreditBudget, SocialSearch } from 'social-search-sdk'
import { ResultCache } from 'social-search-sdk/cache'
import { toNodeListener } from 'social-search-sdk/node'
import { createProxy } from 'social-search-sdk/proxy'
import { createSandbox } from 'social-search-sdk/sandbox'
import { createServer as createVite } from 'vite'
import { listeners, storyBefore } from './story.ts'

const { PORT = 4020, CREDITS = 60, NOW, SEED, CACHE } = process.env

const apiKey = 'made_up_key_of_the_dashboard'
const sandbox = createSandbox({
  latency: [200, 600],
  content: { listeners },
  keys: [{ key: apiKey, scopes: ['search:read', 'mentions:read', 'mentions:write', 'listeners:read'] }],
  ...(NOW && { now: new Date(NOW) }),
  ...(SEED && { seed: Number(SEED) }),
})
sandbox.publish(storyBefore(NOW ? new Date(NOW) : new Date(), Number(SEED ?? 0)))
const client = new SocialSearch({
  ...sandbox.clientOptions(), // for the real service: baseUrl and apiKey
  apiKey,
  cache: new ResultCache({ maxAge: 3_600_000 }), // equal searches cost nothing for an hour
  retry: { maxWait: 1_000 }, // pass longer waits on to the page, which shows a countdown
})
const budget = new CreditBudget(Number(CREDITS), { every: 'day', timeZone: 'UTC' })
const nothing = new CreditBudget(0)
const isForStored = ({ url }: Request) => url.includes('/api/stored/')
const proxy = createProxy({
  client,
  allow: [
    ...(['microblog.search', 'professionalnet.posts.search'] as const),
    ...(['mentions.list', 'mentions.count', 'mentions.setState', 'listeners.list'] as const),
  ],
  // Check your own session here. Requests to /api/stored may spend nothing, so they get stored answers only.
  authorize: (request) => ({ id: 'demo', budget: isForStored(request) ? nothing : budget }),
  onError: () => {}, // the page shows every error
})

async function api(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname === '/api/budget') return Response.json(budget.summary())
  if (pathname === '/api/faults') {
    sandbox.inject(await request.json())
    return new Response(null, { status: 204 })
  }
  const response = await proxy(request)
  // Nothing is stored. A browser would log a 402 as an error.
  return isForStored(request) && response.status === 402 ? new Response(null, { status: 204 }) : response
}

const listener = toNodeListener(api)
const server = createServer((request, response) => {
  if (request.url?.startsWith('/api/')) listener(request, response)
  else vite.middlewares(request, response)
})
const vite = await createVite({
  root: import.meta.dirname,
  plugins: [react()],
  logLevel: 'warn',
  ...(CACHE && { cacheDir: CACHE }),
  // The package is linked from two folders up.
  server: { middlewareMode: true, ws: { server }, fs: { allow: ['../..'] } },
})
server.listen(Number(PORT), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(`The dashboard runs at http://127.0.0.1:${port}/\nCtrl+C stops it.`)
})
