/** Lets web pages search without an API key: the key stays in this server. */
import { SocialSearch } from 'social-search-sdk'
import { createProxy } from 'social-search-sdk/proxy'

const proxy = createProxy({
  client: SocialSearch.fromEnv(),
  allow: ['microblog.search', 'professionalnet.industries.list'], // all other operations are refused
  authorize: () => ({ id: 'demo' }), // find the user's session; return null if there is none
  budget: 100, // credits for each user, while this server runs
})

const server = Bun.serve({
  port: process.env.PORT ?? 3000,
  hostname: '127.0.0.1',
  routes: { '/api/social/*': proxy },
  idleTimeout: 120, // seconds; a search may take longer than Bun's ten
})
console.log(`The proxy runs at ${server.url}api/social`)
