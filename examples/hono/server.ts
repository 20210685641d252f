/** Lets web pages search without an API key: the key stays in this server. */
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { SocialSearch } from 'social-search-sdk'
import { createProxy } from 'social-search-sdk/proxy'

const proxy = createProxy({
  client: SocialSearch.fromEnv(),
  allow: ['microblog.search', 'professionalnet.industries.list'], // all other operations are refused
  authorize: () => ({ id: 'demo' }), // find the user's session; return null if there is none
  budget: 100, // credits for each user, while this server runs
})

const app = new Hono()
app.all('/api/social/*', (c) => proxy(c.req.raw))

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000), hostname: '127.0.0.1' }, ({ port }) =>
  console.log(`The proxy runs at http://127.0.0.1:${port}/api/social`),
)
