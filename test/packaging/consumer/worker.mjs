// A worker with clients and a proxy at module scope, which all requests share.
import { SocialSearch } from 'social-search-sdk'
import { createProxy } from 'social-search-sdk/proxy'
import { createSandbox } from 'social-search-sdk/sandbox'

const service = { baseUrl: 'BASE_URL', apiKey: 'API_KEY', limits: { perMinute: false } }
const client = new SocialSearch(service)
const offline = new SocialSearch(createSandbox().clientOptions())
const proxy = createProxy({ client, allow: ['microblog.search'], authorize: () => ({ id: 'ada' }) })

async function search(client) {
  try {
    const { posts } = await client.microblog.search({ query: 'coffee', count: 1 })
    return Response.json(posts.length)
  } catch (error) {
    return Response.json(String(error), { status: 500 })
  }
}

export default {
  fetch(request) {
    const { pathname } = new URL(request.url)
    if (pathname === '/client') return search(client)
    // The runtime ends what a request leaves behind, in the middle of an attempt.
    if (pathname === '/leave') {
      for (let call = 0; call < 4; call++) void search(client)
      return new Promise((resolve) => setTimeout(() => resolve(Response.json('left')), 10))
    }
    if (pathname === '/sandbox') return search(offline)
    if (pathname === '/new-client') return search(new SocialSearch(service))
    return proxy(request)
  },
}
