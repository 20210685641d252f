import { CreditBudget, CreditBudgetError, SocialSearch } from 'social-search-sdk'
import { createSandbox } from 'social-search-sdk/sandbox'
import { expect, test, vi } from 'vitest'
import { digest } from './digest.ts'

// Each test has a sandbox for itself: its own posts, ledger, faults and limits.

test('digest() returns the posts that people liked most', async () => {
  const sandbox = createSandbox({
    content: {
      microblog: [
        { body: 'Acme opens a shop', engagements: { favoriteCount: 5 } },
        { body: 'Acme closes a shop', engagements: { favoriteCount: 50 } },
        { body: 'Nothing about them', engagements: { favoriteCount: 500 } },
      ],
    },
  })
  const { posts } = await digest(new SocialSearch(sandbox.clientOptions()), 'acme')
  expect(posts.map(({ body }) => body)).toEqual(['Acme closes a shop', 'Acme opens a shop'])
})

test('digest() pays for two pages, also if the service is busy at first', async () => {
  const sandbox = createSandbox()
  sandbox.inject({ status: 503 })
  await digest(new SocialSearch(sandbox.clientOptions()), 'coffee')
  expect(sandbox.requests.map(({ status }) => status)).toEqual([503, 200, 200])
  expect(sandbox.ledger.spent).toBe(4)
})

test('digest() waits as long as a 429 says', async () => {
  vi.useFakeTimers()
  try {
    const sandbox = createSandbox()
    sandbox.inject({ status: 429, retryAfter: 30 })
    const result = digest(new SocialSearch(sandbox.clientOptions()), 'coffee')
    await vi.advanceTimersByTimeAsync(29_000)
    expect(sandbox.requests).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(5_000)
    expect((await result).posts).toHaveLength(3)
  } finally {
    vi.useRealTimers()
  }
})

test('digest() keeps the first page and warns when the second one is lost', async () => {
  const sandbox = createSandbox()
  const client = new SocialSearch(sandbox.clientOptions())
  sandbox.inject({ skip: 1, reset: 'after' }) // the service charges, but the response does not arrive
  const { posts, warning } = await digest(client, 'coffee')
  expect(posts).toHaveLength(3)
  expect(warning).toMatch('a page was lost')
  expect(client.credits).toMatchObject({ spent: 2, uncertain: 2 })
})

test('digest() sends nothing when the budget is used up', async () => {
  const sandbox = createSandbox()
  const client = new SocialSearch({ ...sandbox.clientOptions(), budget: new CreditBudget(1) })
  await expect(digest(client, 'coffee')).rejects.toThrow(CreditBudgetError)
  expect(sandbox.requests).toEqual([])
})
