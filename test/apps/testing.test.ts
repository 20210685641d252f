import { http } from 'msw'
import { setupServer } from 'msw/node'
import { createSandbox } from 'social-search-sdk/sandbox'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'

const server = setupServer()
beforeAll(() => server.listen())
afterEach(() => {
  vi.useRealTimers()
  server.resetHandlers()
})
afterAll(() => server.close())

async function load() {
  const sandbox = createSandbox()
  server.use(http.all(`${sandbox.baseUrl}/*`, ({ request }) => sandbox.fetch(request)))
  vi.stubEnv('SOCIAL_SEARCH_BASE_URL', sandbox.baseUrl)
  vi.stubEnv('SOCIAL_SEARCH_API_KEY', sandbox.apiKey)
  vi.resetModules()
  return { sandbox, ...(await import('./module-client.ts')) }
}

describe('an app that makes its client at module scope', () => {
  it('has separate limits in each test when the module is imported again', async () => {
    const first = await load()
    first.sandbox.inject({ status: 429, retryAfter: 600 })
    await expect(first.client.microblog.search({ query: 'coffee' })).rejects.toMatchObject({
      status: 429,
    })
    const second = await load()
    expect((await second.client.microblog.search({ query: 'coffee' })).posts).toHaveLength(20)
  })
})
