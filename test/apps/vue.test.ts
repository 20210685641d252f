import { CreditBudget, SocialSearch } from 'social-search-sdk'
import { ResultCache } from 'social-search-sdk/cache'
import { createSandbox } from 'social-search-sdk/sandbox'
import { describe, expect, it } from 'vitest'
import { isReactive, reactive, ref } from 'vue'

describe("Vue's reactive()", () => {
  it('keeps a client, a budget and a cache that it holds working', async () => {
    const budget = reactive(new CreditBudget(2))
    const cache = reactive(new ResultCache({ maxAge: 60_000 }))
    expect([budget, cache].map(isReactive)).toEqual([true, true])
    const client = new SocialSearch({ ...createSandbox().clientOptions(), budget, cache })
    const state = reactive({ client, cell: ref(client) })
    for (const held of [state.client, state.cell])
      expect((await held.microblog.search({ query: 'coffee' })).posts).toHaveLength(20)
    expect(state.client.credits).toMatchObject({ spent: 2, saved: 2 })
    expect(budget.remaining).toBe(0)
    const more = state.client.withOptions({ logger: false }).microblog.search({ query: 'travel' })
    await expect(more).rejects.toMatchObject({ code: 'credit_budget' })
    await cache.clear()
    expect(state.client.status().slots.taken).toBe(0)
  })
})
