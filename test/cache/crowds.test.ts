import { expect, it } from 'vitest'
import { ResultCache } from '../../src/extensions/cache/index.ts'
import { SocialSearch } from '../../src/index.ts'
import { ok } from '../support/service.ts'
import { query } from '../support/search.ts'

/** A client whose only request is answered by `answer()`. */
function heldClient() {
  let answer: () => void = () => {}
  const fetch = () => new Promise<Response>((resolve) => (answer = () => resolve(ok())))
  const cache = new ResultCache({ maxAge: 60_000 })
  const client = new SocialSearch({
    baseUrl: 'https://api.example/v1',
    apiKey: 'org_live_5f2b8c1d9e',
    cache,
    fetch,
  })
  return { client, answer: () => answer() }
}

it('search() answers 126,000 equal calls of one tick with one request', { timeout: 60_000 }, async () => {
  const { client, answer } = heldClient()
  let found = 0
  const calls = Array.from({ length: 126_000 }, () =>
    client.microblog.search(query).then(({ posts }) => void (found += posts.length)),
  )
  await expect.poll(() => client.status().slots.taken).toBe(1)
  answer()
  await Promise.all(calls)
  expect([found, client.credits.spent]).toEqual([126_000, 2])
})
