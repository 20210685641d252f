import { describe, expect, it } from 'vitest'
import { ResultCache } from '../../src/extensions/cache/index.ts'
import { SocialSearch } from '../../src/index.ts'
import { searchOptions } from '../../src/extensions/query/index.ts'
import { createSandbox } from '../support/sandbox.ts'
import { createTools } from '../../src/extensions/tools/index.ts'
import { watchSearch } from '../../src/extensions/watch/index.ts'
import { post, setUp } from '../proxy/setup.ts'

function cached() {
  const sandbox = createSandbox({ limits: { perMinute: false } })
  const cache = new ResultCache({ maxAge: 60_000 })
  return { sandbox, cache, client: new SocialSearch({ ...sandbox.clientOptions(), cache }) }
}

describe('with a cache', () => {
  it('createTools() answers a repeated question for 0 credits', async () => {
    const { sandbox, client } = cached()
    const ask = () => createTools({ client, budget: 2 }).microblog_search.execute({ query: 'coffee' })
    const first = await ask()
    const again = await ask()
    expect(first).toMatchObject({ ok: true, credits: { spent: 2 } })
    expect(again).toMatchObject({ ok: true, items: first.items, credits: { spent: 0, remaining: 2 } })
    expect(sandbox.requests).toHaveLength(1)
  })

  it('createProxy() answers a repeated request for 0 credits, with its age', async () => {
    const backend = { cache: new ResultCache({ maxAge: 60_000 }) }
    const { sandbox, proxy } = setUp({ budget: 2 }, { backend })
    const first = await post(proxy)
    const again = await post(proxy)
    expect([first.headers.get('age'), again.headers.get('age')]).toEqual([null, '0'])
    expect(await again.json()).toEqual(await first.json())
    expect(sandbox.ledger.spent).toBe(2)
  })

  it('searchOptions() answers a repeated query without a request', async () => {
    const { sandbox, client } = cached()
    const { queryFn } = searchOptions(client, 'microblog.search', { query: 'coffee' })
    const context = { pageParam: null, signal: new AbortController().signal } as never
    const ask = () => (queryFn as (context: never) => unknown)(context)
    expect(await ask()).toEqual(await ask())
    expect(sandbox.requests).toHaveLength(1)
  })

  it('watchSearch() polls the service each time', async () => {
    const { sandbox, client } = cached()
    await client.microblog.search({ query: 'coffee', category: 'Latest' })
    await watchSearch(client.microblog, { query: 'coffee' }).next()
    expect(sandbox.requests).toHaveLength(2)
  })
})
