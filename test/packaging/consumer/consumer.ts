// What a user writes on the first day; it must type-check under each TypeScript and run on plain Node.
import { createServer } from 'node:http'
import {
  ApiError,
  CreditBudget,
  type MicroblogPost,
  type MicroblogSearchParams,
  SocialSearch,
  createTransport,
  isSocialSearchError,
  microblog,
} from 'social-search-sdk'
import { SharedLimiter, type SharedStore, memoryStore, sqliteStore } from 'social-search-sdk/shared'
import { type TokenSet, createOAuthClient } from 'social-search-sdk/oauth'
import { type ReceivedEvent, createEventReceiver, verifyStandardWebhooks } from 'social-search-sdk/events'
import { streamOf, toCsv } from 'social-search-sdk/export'
import { toNodeListener } from 'social-search-sdk/node'
import { otelObserver } from 'social-search-sdk/otel'
import { type ProxyUser, createProxy } from 'social-search-sdk/proxy'
import { searchOptions } from 'social-search-sdk/query'
import { createSandbox } from 'social-search-sdk/sandbox'
import { type SandboxServer, serveSandbox } from 'social-search-sdk/sandbox/node'
import { microblogPost } from 'social-search-sdk/schemas'

const { baseUrl, apiKey, fetch } = createSandbox({ seed: 3 })
const budget = new CreditBudget(50)
const client = new SocialSearch({ baseUrl, apiKey, fetch, budget, observers: [otelObserver()] })

const params: MicroblogSearchParams = { query: 'coffee', filters: { lang: 'en' } }
const page = await client.microblog.search(params)
const first: MicroblogPost | undefined = page.posts[0]
const cursor: string | undefined = page.next?.cursor
if (first === undefined || cursor === undefined) throw new Error('the first page is empty')

// With declarations, the types that TypeScript infers here need names that the package exports.
export const spentToday = () => budget.summary()
export const search = (params: MicroblogSearchParams) => client.microblog.search(params).withResponse()
export const quoted = () => client.quote('microblog.search', params)
export const current = () => [client.credits, client.status(), client.withOptions({}), client.transport]

const query = searchOptions(client, 'microblog.search', params)
const queried: MicroblogPost[] = (await query.queryFn(new AbortController())).posts
if (queried.length !== 20) throw new Error(`expected 20 posts, got ${queried.length}`)

const parsed: MicroblogPost = microblogPost.parse(JSON.parse(JSON.stringify(first)))
if (parsed.id !== first.id) throw new Error('a post does not fit its schema')

const ids: string[] = []
for await (const post of client.microblog.search(params, { maxPages: 2 })) ids.push(post.id)
if (ids.length !== 40) throw new Error(`expected 40 posts, got ${ids.length}`)

const csv = streamOf(client.microblog.search(params, { limit: 3 })).pipeThrough(toCsv({ fields: ['id'] }))
const table: string = await new Response(csv).text()
if (table.split('\n').length !== 5) throw new Error(`expected a header and 3 rows, got ${table}`)

const server: SandboxServer = await serveSandbox()
const overHttp = microblog(createTransport({ baseUrl: server.baseUrl, apiKey: server.apiKey }))
const posts: MicroblogPost[] = await overHttp.search(params).toArray({ limit: 5 })
await server.close()
if (posts.length !== 5) throw new Error(`expected 5 posts, got ${posts.length}`)

const tokens: TokenSet = { accessToken: apiKey, refreshToken: 'first', obtainedAt: 0, expiresAt: 1 }
const store = sqliteStore('tokens.sqlite')
const oauth = await createOAuthClient({
  endpoints: { authorization: 'https://login.example/authorize', token: 'https://login.example/token' },
  clientId: 'consumer',
  redirectUri: 'https://app.example/callback',
  baseUrl,
  scopes: ['search:read', 'offline_access'],
  store,
  fetch: () => Promise.resolve(Response.json({ access_token: apiKey, token_type: 'Bearer', expires_in: 60 })),
})
await oauth.session().replace(tokens)
const authorized = new SocialSearch({ baseUrl, auth: oauth.session(), fetch })
await authorized.organization.usage()
if (((await oauth.session().signOut())?.obtainedAt ?? 0) === 0) throw new Error('the tokens were not renewed')
store.close()
const user: ProxyUser = { id: 'ada' }
const proxy = createProxy({ client, allow: ['microblog.search'], authorize: () => user, budget: 10 })
createServer(toNodeListener(proxy))
const answer: Response = await proxy(new Request('https://app.example/api/feeds'))
if (answer.status !== 403) throw new Error(`expected 403, got ${answer.status}`)

const events: ReceivedEvent[] = []
const receive = createEventReceiver({
  verify: verifyStandardWebhooks({ secret: 'whsec_c2VjcmV0' }),
  onEvent: (event) => events.push(event),
})
if ((await receive(new Request('https://app.example/events'))).status !== 401) throw new Error('expected 401')

try {
  await client.microblog.search({ query: '' })
  throw new Error('an empty query was accepted')
} catch (error) {
  if (!isSocialSearchError(error)) throw error
  if (error instanceof ApiError) throw error
  if (error.code !== 'invalid_request') throw error
}
const shared: SharedStore = memoryStore()
const limits = { inFlight: 1 }
let inFlight = 0
const slowly = async (request: Request): Promise<Response> => {
  if (++inFlight > 1) throw new Error('two limiters of one store do not share a slot')
  await new Promise((resolve) => setTimeout(resolve, 100))
  inFlight--
  return fetch(request)
}
const limiters = [1, 2].map(() => new SharedLimiter({ store: shared, organization: 'acme', limits }))
const workers = limiters.map((limiter) => new SocialSearch({ baseUrl, apiKey, fetch: slowly, limiter }))
await Promise.all(workers.map((worker) => worker.organization.usage()))
await Promise.all(limiters.map((limiter) => limiter.close()))

console.log(`consumer: ${client.credits.spent} credits spent, ${budget.remaining} left`)
