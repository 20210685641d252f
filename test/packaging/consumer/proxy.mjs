// Serves a proxy before a sandbox with the runtime's own server, uses it over HTTP, and prints what came of it, as JSON.
import { SocialSearch } from 'social-search-sdk'
import { createEventReceiver, verifyStandardWebhooks } from 'social-search-sdk/events'
import { toNodeListener } from 'social-search-sdk/node'
import { createProxy } from 'social-search-sdk/proxy'
import { createSandbox } from 'social-search-sdk/sandbox'

const sandbox = createSandbox({ limits: { perMinute: false } })
const { baseUrl, apiKey, fetch: toSandbox } = sandbox
const limits = { perMinute: false }
const proxy = createProxy({
  client: new SocialSearch({ baseUrl, apiKey, fetch: toSandbox, limits }),
  allow: ['microblog.search'],
  authorize: (request) => (request.headers.get('x-user') ? { id: request.headers.get('x-user') } : null),
  budget: 6,
})
const secret = 'ZXZlbnRfc2VjcmV0X2V2ZW50X3NlY3JldF9ldmVudF9z'
let events = 0
const receive = createEventReceiver({
  verify: verifyStandardWebhooks({ secret }),
  onEvent: () => void events++,
})
const handle = (request) => (new URL(request.url).pathname === '/events' ? receive(request) : proxy(request))

async function serve() {
  const { Deno, Bun } = globalThis
  if (Deno) {
    const server = Deno.serve({ port: 0, hostname: '127.0.0.1', onListen: () => {} }, handle)
    return { name: 'Deno.serve', port: server.addr.port, close: () => server.shutdown() }
  }
  if (Bun) {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: handle })
    return { name: 'Bun.serve', port: server.port, close: () => server.stop(true) }
  }
  const { createServer } = await import('node:http')
  const server = createServer(toNodeListener(handle))
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { name: 'node:http', port: server.address().port, close }
}

const { name, port, close } = await serve()
const origin = `http://127.0.0.1:${port}`
const headers = { 'x-user': 'ada' }
const page = new SocialSearch({ baseUrl: `${origin}/api/social`, auth: false, limits, headers })

const searchPath = '/api/social/data/microblog/tweets/search'

async function refused(call) {
  try {
    return (await call).posts.length
  } catch ({ name, code, charged }) {
    return [name, code, charged]
  }
}

async function status(headers, body = '{"query":"coffee"}', path = searchPath) {
  const all = { 'content-type': 'application/json', 'x-user': 'bob', ...headers }
  const response = await fetch(origin + path, { method: 'POST', headers: all, body })
  await response.text()
  return response.status
}

const bytes = Uint8Array.from(atob(secret), (character) => character.charCodeAt(0))
const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
const time = String(Math.floor(Date.now() / 1000))
const code = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(`1.${time}.{}`))
const signature = `v1,${btoa(String.fromCharCode(...new Uint8Array(code)))}`
const signed = { 'webhook-id': '1', 'webhook-timestamp': time, 'webhook-signature': signature }

const posts = await page.microblog.search({ query: 'coffee' }, { maxPages: 2 }).toArray({ limit: 40 })
const spentByWalk = sandbox.ledger.spent
const report = {
  name,
  posts: posts.length,
  huge: await status({}, 'x'.repeat(10_000_000)),
  forged: await status({ origin: 'https://evil.example' }),
  nobody: await status({ 'x-user': '' }),
  disallowed: await refused(page.technews.search({ query: 'coffee' })),
  spentByRefusals: sandbox.ledger.spent - spentByWalk,
  // The walk has spent 4 of 6: one more search fits.
  last: await refused(page.microblog.search({ query: 'coffee' })),
  exhausted: await refused(page.microblog.search({ query: 'coffee' })),
  credits: page.credits.spent,
  charged: sandbox.ledger.spent,
  signed: await status(signed, '{}', '/events'),
  unsigned: await status(signed, '{ }', '/events'),
  events,
}
await close()
console.log(JSON.stringify(report))
