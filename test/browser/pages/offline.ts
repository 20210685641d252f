import { SocialSearch } from 'social-search-sdk'
import { streamOf, toJsonl } from 'social-search-sdk/export'
import { createProxy } from 'social-search-sdk/proxy'
import { createSandbox } from 'social-search-sdk/sandbox'
import { complaints } from './complaints.ts'

/** What runs in a page without any server. */
const offline = {
  async sandbox() {
    const sandbox = createSandbox()
    const client = new SocialSearch({ ...sandbox.clientOptions(), apiKey: sandbox.writeKey })
    const { posts } = await client.microblog.search({ query: 'coffee' })
    const { mentions } = await client.mentions.list()
    await client.mentions.setState(String(mentions[0]?.['id']), { state: 'done' })
    sandbox.inject({ reset: 'after' })
    const lost = await client.microblog.search({ query: 'coffee' }).catch((error: unknown) => error)
    return { posts: posts.length, lost: (lost as Error).name, spent: sandbox.ledger.spent }
  },
  async export() {
    const client = new SocialSearch(createSandbox().clientOptions())
    const posts = streamOf(client.microblog.search({ query: 'coffee' }, { limit: 30 }))
    const text = await new Response(posts.pipeThrough(toJsonl())).text()
    return text.trim().split('\n').length
  },
  async proxy() {
    const sandbox = createSandbox()
    const proxy = createProxy({
      client: new SocialSearch(sandbox.clientOptions()),
      allow: ['microblog.search'],
      authorize: () => ({ id: 'ada' }),
      budget: 2,
    })
    const client = new SocialSearch({ baseUrl: '/api/social', fetch: proxy })
    const { posts } = await client.microblog.search({ query: 'coffee' })
    return { posts: posts.length, ...client.credits, spent: sandbox.ledger.spent }
  },
}
export type Offline = typeof offline
Object.assign(globalThis, { offline, complaints })
