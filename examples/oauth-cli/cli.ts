/** Searches as a user who logs in with a browser. The tokens are in tokens.sqlite, so the next run needs no login. */
import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CreditBudget, SocialSearch } from 'social-search-sdk'
import { ReauthorizationRequiredError, createOAuthClient } from 'social-search-sdk/oauth'
import { sqliteStore } from 'social-search-sdk/shared'

const {
  OAUTH_ISSUER: issuer,
  OAUTH_CLIENT_ID: clientId = '',
  SOCIAL_SEARCH_BASE_URL: baseUrl = '',
} = process.env
const query = process.argv[2] ?? 'typescript'

// The browser comes back to this server. A program may use any local port (RFC 8252); if your
// authorization server compares ports, listen on the one that you registered.
const callback = createServer()
await once(callback.listen(0, '127.0.0.1'), 'listening')
const { port } = callback.address() as AddressInfo

const oauth = await createOAuthClient({
  issuer,
  clientId,
  redirectUri: `http://127.0.0.1:${port}/callback`,
  baseUrl,
  scopes: ['search:read', 'offline_access'], // the second one brings a refresh token
  store: sqliteStore('tokens.sqlite'),
})
const client = new SocialSearch({ baseUrl, auth: oauth.session(), budget: new CreditBudget(10) })

try {
  await search()
} catch (error) {
  if (!(error instanceof ReauthorizationRequiredError)) throw error
  await login()
  await search()
} finally {
  callback.close()
}

async function search(): Promise<void> {
  const { posts } = await client.microblog.search({ query, count: 5 })
  for (const { author, body } of posts) console.log(`@${author}: ${body}\n`)
}

async function login(): Promise<void> {
  const { url, pending } = await oauth.authorizationUrl({ prompt: 'consent' })
  console.log(`Log in at ${url}\n`)
  const [request, response] = (await once(callback, 'request')) as [IncomingMessage, ServerResponse]
  response.setHeader('connection', 'close').end('You can close this page.')
  await oauth.exchange(request.url ?? '', pending)
}
