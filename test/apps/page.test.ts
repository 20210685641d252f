// @vitest-environment happy-dom
import { SocialSearch } from 'social-search-sdk'
import { createSandbox } from 'social-search-sdk/sandbox'
import { createProxy } from 'social-search-sdk/proxy'
import { expect, test } from 'vitest'

test('a page searches through the proxy', async () => {
  const sandbox = createSandbox()
  const proxy = createProxy({
    client: new SocialSearch(sandbox.clientOptions()),
    allow: ['microblog.search'],
    authorize: () => ({ id: 'ada' }),
  })
  const page = new SocialSearch({
    baseUrl: '/api/social',
    fetch: proxy,
    organization: crypto.randomUUID(),
  })

  await page.microblog.search({ query: 'coffee' })
  expect(page.credits.spent).toBe(2)
})
