// Shows that all entry points share one copy of the errors and of the limiters, and prints where the client is.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ConfigurationError, SocialSearch, SocialSearchError, createTransport } from 'social-search-sdk'
import { CatalogClient, ProblemError } from 'social-search-sdk/catalog'
import { createEventReceiver } from 'social-search-sdk/events'
import { toCsv } from 'social-search-sdk/export'
import { OAuthError, createOAuthClient } from 'social-search-sdk/oauth'
import { FileTokenStore } from 'social-search-sdk/oauth/node'
import { createProxy } from 'social-search-sdk/proxy'
import { searchOptions } from 'social-search-sdk/query'
import { redisStore } from 'social-search-sdk/redis'
import { SharedBudget } from 'social-search-sdk/shared'
import { tabsStore } from 'social-search-sdk/tabs'
import { postgresStore } from 'social-search-sdk/postgres'
import { createTools } from 'social-search-sdk/tools'
import { watchSearch } from 'social-search-sdk/watch'

const misuses = [
  () => new CatalogClient({ token: '' }),
  () => createEventReceiver({}),
  () => createOAuthClient({}),
  () => createProxy({}),
  () => searchOptions({}, 'microblog.search', {}).queryFn({}),
  () => toCsv({}),
  () => redisStore({}),
  () => new SharedBudget({}),
  () => tabsStore(),
  () => postgresStore({}),
  () => createTools({}),
  () => watchSearch({}).next(),
]
for (const misuse of misuses) await assert.rejects(async () => misuse(), ConfigurationError, `${misuse}`)
await assert.rejects(new FileTokenStore(import.meta.dirname).get(), SocialSearchError)
for (const { prototype } of [OAuthError, ProblemError]) assert.ok(prototype instanceof SocialSearchError)
assert.equal(createRequire(import.meta.url)('social-search-sdk').SocialSearch, SocialSearch)

// Two clients and a proxy of one organization keep to two requests in flight.
const inFlight = []
const fetch = () => new Promise((answer) => inFlight.push(answer))
const options = { baseUrl: 'http://localhost/v1', apiKey: 'test_key', fetch }
const proxy = createProxy({
  client: createTransport(options),
  allow: ['openapi'],
  authorize: () => ({ id: 'ada' }),
})
const calls = [
  new SocialSearch(options).openapi(),
  new SocialSearch(options).openapi(),
  proxy(new Request('http://localhost/openapi.json')).then((response) => response.json()),
]
await reach(2)
await setTimeout(100)
assert.equal(inFlight.length, 2)
for (let answered = 0; answered < calls.length; answered++) {
  await reach(1)
  inFlight.shift()(Response.json({ openapi: '3.1.0' }))
}
for (const answer of await Promise.all(calls)) assert.equal(answer.openapi, '3.1.0')

async function reach(requests) {
  for (let i = 0; i < 1000 && inFlight.length < requests; i++) await setTimeout(5)
}

console.log(fileURLToPath(import.meta.resolve('social-search-sdk')))
