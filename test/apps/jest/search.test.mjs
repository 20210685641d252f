import { SocialSearch } from 'social-search-sdk'
import { createSandbox } from 'social-search-sdk/sandbox'

test('a search costs 2 credits', async () => {
  const sandbox = createSandbox()
  const client = new SocialSearch(sandbox.clientOptions())
  await client.microblog.search({ query: 'coffee' })
  expect(sandbox.ledger.spent).toBe(2)
})
