/** Lets web pages search without an API key: the key stays in this server. */
import type { AddressInfo } from 'node:net'
import express from 'express'
import { SocialSearch } from 'social-search-sdk'
import { toNodeListener } from 'social-search-sdk/node'
import { createProxy } from 'social-search-sdk/proxy'

const proxy = createProxy({
  client: SocialSearch.fromEnv(),
  allow: ['microblog.search', 'mentions.list', 'mentions.setState'], // all other operations are refused
  authorize: () => ({ id: 'demo' }), // find the user's session; return null if there is none
  budget: 100, // credits for each user, while this server runs
})

const app = express()
app.use('/api/social', toNodeListener(proxy)) // before any body parser, because the proxy reads the body itself
app.use(express.json())

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', (error) => {
  if (error) {
    console.error(`${error.message}; set PORT to a free port`)
    process.exit(1)
  }
  const { port } = server.address() as AddressInfo
  console.log(`The proxy runs at http://127.0.0.1:${port}/api/social`)
})
