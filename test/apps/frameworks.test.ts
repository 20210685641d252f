import { createSandbox } from 'social-search-sdk/sandbox'
import { beforeAll, describe, expect, it, vi } from 'vitest'

const sandbox = createSandbox()
const search = () =>
  new Request('http://app.test/api/social/data/microblog/tweets/search', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'coffee' }),
  })

/** What a page gets from a sample of docs/frameworks.md. */
async function postsFrom(response: Response): Promise<unknown> {
  const body = (await response.json()) as { posts?: unknown }
  return body.posts ?? body
}

describe('docs/frameworks.md', () => {
  beforeAll(() => {
    vi.stubEnv('SOCIAL_SEARCH_BASE_URL', sandbox.baseUrl)
    vi.stubEnv('SOCIAL_SEARCH_API_KEY', sandbox.apiKey)
    vi.stubGlobal('fetch', (...args: ConstructorParameters<typeof Request>) =>
      sandbox.fetch(new Request(...args)),
    )
  })

  it('has a Hono app that searches and serves the proxy', async () => {
    const { default: app } = await import('./.out/frameworks/hono.ts')
    expect(await postsFrom(await app.request('/posts?q=coffee'))).toHaveLength(20)
    expect(await postsFrom(await app.request(search()))).toHaveLength(20)
  })

  it('has a route handler of Next that serves the proxy', async () => {
    const { POST } = await import('./.out/frameworks/app/api/social/[...path]/route.ts')
    expect(await postsFrom(await POST(search()))).toHaveLength(20)
  })

  it('has a SvelteKit app that searches and serves the proxy', async () => {
    const { load } = await import('./.out/frameworks/src/routes/+page.server.ts')
    expect((await load({ url: new URL('http://app.test/?q=travel') })).posts).toHaveLength(20)
    const { fallback } = await import('./.out/frameworks/src/routes/api/social/[...path]/+server.ts')
    expect(await postsFrom(await fallback({ request: search() }))).toHaveLength(20)
  })

  it('has a worker that searches', async () => {
    const { default: worker } = await import('./.out/frameworks/worker.ts')
    // Its key has limits of its own.
    const env = { BASE_URL: 'https://other.example/v1', API_KEY: sandbox.apiKey }
    expect(await postsFrom(await worker.fetch(new Request('http://worker.test'), env))).toHaveLength(20)
  })
})
