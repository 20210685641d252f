// Searches through the proxy of the environment, at a host that it refuses, too; then with the proxy and client certificate of
// its own fetch, except on Node.
import { SocialSearch } from 'social-search-sdk'

const { PROXY: proxy, CA: ca, CERT: cert, KEY: key } = process.env
const { Deno, Bun } = globalThis
const client = Deno?.createHttpClient({ proxy: { url: proxy }, caCerts: [ca], cert, key })
const own = (request) => fetch(request, Deno ? { client } : { proxy, tls: { ca, cert, key } })
const found = []
for (const options of Deno || Bun ? [{}, { fetch: own }] : [{}]) {
  const { posts } = await SocialSearch.fromEnv({ retry: false, ...options }).microblog.search({ query: 'a' })
  found.push(posts.length)
}
const refused = new SocialSearch({ baseUrl: 'https://refused.invalid/v1', apiKey: 'org_canary_5f2b8c1d9e' })
const { phase, charged, attempts } = await refused.microblog.search({ query: 'a' }).catch((error) => error)
console.log(JSON.stringify({ found, refused: [phase, charged, attempts.length] }))
